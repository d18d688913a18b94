// The worker pool.
#include "parallel/worker_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>


namespace bdelta::test::parallel_test {
namespace {

class Pool : public ::testing::TestWithParam<unsigned> {};

TEST_P(Pool, ForEachCallsEveryIndexOnce) {
  WorkerPool pool(GetParam());
  for (const std::size_t count : {0u, 1u, 2u, 100u, 5000u}) {
    std::vector<std::atomic<int>> calls(count);
    pool.for_each(count, [&](std::size_t i) { ++calls[i]; });
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(1, calls[i]);
  }
}

TEST_P(Pool, WaitReturnsWhenAllTasksHaveEnded) {
  WorkerPool pool(GetParam());
  std::atomic<int> done{0};
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 50; ++i) pool.submit([&] { ++done; });
    pool.wait();
    ASSERT_EQ((round + 1) * 50, done);
  }
}

TEST_P(Pool, HelpRunsQueuedTasksInTheCaller) {
  WorkerPool pool(GetParam());
  std::atomic<int> done{0};
  for (int i = 0; i < 100; ++i) pool.submit([&] { ++done; });
  while (pool.help()) {
  }
  pool.wait();
  EXPECT_EQ(100, done);
  EXPECT_FALSE(pool.help());
}

TEST_P(Pool, ResultsOfTasksAreSeenAfterForEach) {
  WorkerPool pool(GetParam());
  std::vector<std::size_t> squares(3000);
  pool.for_each(squares.size(), [&](std::size_t i) { squares[i] = i * i; });
  for (std::size_t i = 0; i < squares.size(); ++i) ASSERT_EQ(i * i, squares[i]);
}

TEST_P(Pool, DestructionRunsWhatIsQueued) {
  std::atomic<int> done{0};
  {
    WorkerPool pool(GetParam());
    for (int i = 0; i < 200; ++i) pool.submit([&] { ++done; });
  }
  EXPECT_EQ(200, done);
}

INSTANTIATE_TEST_SUITE_P(Threads, Pool, ::testing::Values(1u, 2u, 3u, 16u));

TEST(PoolOfNone, IsAPoolOfOne) {
  WorkerPool pool(0);
  EXPECT_EQ(1u, pool.thread_count());
}

}  // namespace
}  // namespace bdelta::test::parallel_test
