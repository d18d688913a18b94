// Sorting by all threads.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "parallel/worker_pool.hpp"

namespace bdelta {

// Sorts by operator<, in parts that are short enough for the watch of the pool to end the work in time. Equal items must
// be the same in all that matters: their order depends on the number of threads.
template <class T>
void sort_by_all(std::vector<T>& items, WorkerPool& pool) {
  constexpr std::size_t kLeastPart = std::size_t{1} << 15;  // below which threads cost more than they save
  constexpr std::size_t kMostPart = std::size_t{1} << 20;   // sorted in less than a tenth of a second
  const std::size_t wanted = std::max(std::size_t{pool.thread_count()}, (items.size() + kMostPart - 1) / kMostPart);
  const std::size_t part_count = std::min(std::bit_ceil(wanted), std::bit_floor(items.size() / kLeastPart | 1));
  const auto border = [&](std::size_t part) {
    return items.begin() + static_cast<std::ptrdiff_t>(items.size() / part_count * part +
                                                       std::min(part, items.size() % part_count));
  };
  pool.for_each(part_count, [&](std::size_t part) { std::sort(border(part), border(part + 1)); });
  for (std::size_t width = 1; width < part_count; width *= 2) {
    pool.for_each(part_count / (2 * width), [&](std::size_t pair) {
      const std::size_t first = 2 * width * pair;
      std::inplace_merge(border(first), border(first + width), border(first + 2 * width));
    });
  }
}

}  // namespace bdelta
