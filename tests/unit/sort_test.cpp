// Sorting and comparing by all threads, and that both end when the watch says so.
#include "parallel/sort.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include "parallel/compare.hpp"

namespace bdelta::test::sort_test {
namespace {

class SortingByAll : public ::testing::TestWithParam<unsigned> {};

TEST_P(SortingByAll, SortsAsOneThreadDoes) {
  WorkerPool pool(GetParam());
  std::mt19937_64 random(1);
  for (const std::size_t count : {0u, 1u, 2u, 32'767u, 65'536u, 65'537u, 300'001u, 2'500'001u}) {
    std::vector<std::uint64_t> items(count);
    const std::uint64_t factor = count % 3 == 0 ? 1 : count % 3 == 1 ? std::uint64_t{1} << 40 : ~std::uint64_t{0} / (count + 1);
    for (std::uint64_t& item : items) item = random() % (count + 1) * factor;  // many equal ones
    std::vector<std::uint64_t> expected = items;
    std::sort(expected.begin(), expected.end());
    sort_by_all(items, pool);
    ASSERT_EQ(expected, items);
  }
}

// A key, and where the item stood before.
struct Numbered {
  std::uint32_t key;
  std::uint32_t number;
  bool operator==(const Numbered&) const = default;
};

std::vector<Numbered> random_items(std::size_t count, std::uint32_t key_count) {
  std::mt19937 random(2);
  std::vector<Numbered> items(count);
  for (std::uint32_t i = 0; i < count; ++i) items[i] = {static_cast<std::uint32_t>(random() % key_count), i};
  return items;
}

bool has_lower_key(const Numbered& a, const Numbered& b) { return a.key < b.key; }
bool comes_first(const Numbered& a, const Numbered& b) { return a.key != b.key ? a.key < b.key : a.number < b.number; }

TEST_P(SortingByAll, SortsByAnOrderAndKeepsThatOfEquals) {
  WorkerPool pool(GetParam());
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, kSortedPart - 1, kSortedPart, kSortedPart + 1,
                                  2 * kSortedPart, 3 * kSortedPart + 7, 4 * kSortedPart, 7 * kSortedPart + 1}) {
    const std::vector<Numbered> items = random_items(count, static_cast<std::uint32_t>(1 + count / 3));
    std::vector<Numbered> expected = items;
    std::stable_sort(expected.begin(), expected.end(), has_lower_key);
    std::vector<Numbered> by_all = items;
    sort_by_all(by_all, has_lower_key, pool);
    ASSERT_EQ(expected, by_all) << count;
    std::vector<Numbered> watched = items;
    sort_watched(watched, has_lower_key, nullptr);
    ASSERT_EQ(expected, watched) << count;
    std::vector<Numbered> in_place = items;
    sort_in_place(std::span(in_place), comes_first, nullptr);
    ASSERT_EQ(expected, in_place) << count;
  }
}

// At some point of the work the watch is told to stop, and it has to be looked at behind that.
template <class Sort>
void expect_looks_all_the_while(const std::vector<Numbered>& items, Sort&& sort) {
  std::atomic<std::size_t> compared{0};
  std::size_t stop_at = ~std::size_t{0};
  std::atomic<bool> stopped{false};
  const auto less = [&](const Numbered& a, const Numbered& b) {
    if (++compared == stop_at) {
      stopped = true;
      std::this_thread::sleep_for(std::chrono::duration<double>(2 * Watch::kCallbackSeconds));
    }
    return comes_first(a, b);
  };
  const Watch::Callback goes_on = [&](std::uint64_t, std::uint64_t) { return !stopped; };
  Watch whole(goes_on);
  sort(std::vector<Numbered>(items), less, whole);
  const std::size_t all = compared;
  for (const double share : {0.05, 0.3, 0.6, 0.9}) {
    compared = 0;
    stopped = false;
    stop_at = static_cast<std::size_t>(share * static_cast<double>(all));
    Watch watch(goes_on);
    EXPECT_THROW(sort(std::vector<Numbered>(items), less, watch), Interrupted) << share;
  }
}

TEST(Sorting, LooksAtTheWatchAllTheWhile) {
  const std::vector<Numbered> items = random_items(4 * kSortedPart, 1'000'000);
  for (const unsigned threads : {1u, 3u}) {
    expect_looks_all_the_while(items, [&](std::vector<Numbered> some, const auto& less, Watch& watch) {
      WorkerPool pool(threads, nullptr, &watch);
      sort_by_all(some, less, pool);
    });
  }
  expect_looks_all_the_while(items, [](std::vector<Numbered> some, const auto& less, Watch& watch) {
    sort_watched(some, less, &watch);
  });
  expect_looks_all_the_while(items, [](std::vector<Numbered> some, const auto& less, Watch& watch) {
    sort_in_place(std::span(some), less, &watch);
  });
}

TEST(Comparing, CountsWhatDiffersInPieces) {
  for (const unsigned threads : {1u, 3u}) {
    WorkerPool pool(threads);
    for (const std::size_t size : {std::size_t{0}, std::size_t{4} << 20, (std::size_t{9} << 20) + 3}) {
      Bytes a(size, 1);
      Bytes b = a;
      std::size_t changed = 0;
      for (std::size_t i = size; i > 0; i -= std::min<std::size_t>(i, 65'521), ++changed) b[i - 1] = 2;
      EXPECT_EQ(changed, count_differing(a, b, pool)) << size;
    }
  }
}

TEST(Sorting, EndsWhenTheWatchSaysSo) {
  const Watch::Callback none;
  Watch watch(none, 0, 1e-9);
  WorkerPool pool(1, nullptr, &watch);
  std::vector<Numbered> items = random_items(3 * kSortedPart, 1000);
  EXPECT_THROW(sort_by_all(items, has_lower_key, pool), Interrupted);
  EXPECT_THROW(sort_watched(items, has_lower_key, &watch), Interrupted);
  items = random_items(3 * kSortedPart, 1000);
  EXPECT_THROW(sort_in_place(std::span(items), comes_first, &watch), Interrupted);
}

INSTANTIATE_TEST_SUITE_P(Threads, SortingByAll, ::testing::Values(1u, 2u, 3u, 16u));

}  // namespace
}  // namespace bdelta::test::sort_test
