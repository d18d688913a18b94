// The worker pool, and tables that its threads write part by part.
#include "parallel/free_list.hpp"
#include "parallel/table_parts.hpp"

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

// Slots that keep the first of what comes, so that order matters.
TEST_P(Pool, PartsOfATableAreWrittenAsInOrder) {
  constexpr unsigned kSlots = 37;
  std::vector<std::uint32_t> items(5000);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<std::uint32_t>(i * 2654435761u);
  const auto slot_of = [&](std::size_t i) { return std::uint64_t{items[i]} * kSlots >> 32; };
  std::vector<std::vector<std::uint32_t>> expected(kSlots), table(kSlots);
  for (std::size_t i = 0; i < items.size(); ++i) expected[slot_of(i)].push_back(items[i]);

  WorkerPool pool(GetParam());
  std::atomic<std::size_t> fetched{0};
  for_each_table_part(pool, kSlots, [&](const TablePart& part) {
    for_own_items(
        part, items.size(), slot_of, [&](std::size_t) { ++fetched; },
        [&](std::size_t i) { table[slot_of(i)].push_back(items[i]); });
  });
  EXPECT_EQ(expected, table);
  EXPECT_EQ(items.size(), fetched);
}

INSTANTIATE_TEST_SUITE_P(Threads, Pool, ::testing::Values(1u, 2u, 3u, 16u));

TEST(PoolOfNone, IsAPoolOfOne) {
  WorkerPool pool(0);
  EXPECT_EQ(1u, pool.thread_count());
}

// What came back is lent again; more are made only for those who ask meanwhile.
TEST(FreeListOfNumbers, LendsWhatIsNotInUse) {
  FreeList<int> list;
  int made_count = 0;
  const auto make = [&] { return std::make_unique<int>(++made_count); };
  {
    const auto first = list.lend(make);
    const auto second = list.lend(make);
    EXPECT_EQ(1, *first);
    EXPECT_EQ(2, *second);
  }
  const auto again = list.lend(make);
  const auto other = list.lend(make);
  EXPECT_EQ(3, *again + *other);
  EXPECT_EQ(2, made_count);
  EXPECT_EQ(3, *list.lend(make));
}

}  // namespace
}  // namespace bdelta::test::parallel_test
