// Sorting by all threads, and sorting that can be ended.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "base/raw_buffer.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

constexpr std::size_t kSortedPart = std::size_t{1} << 16;  // items that are sorted between two looks at a watch

// Sorts numbers by their digits, the lowest first, in as much memory again. A million takes a quarter of the time that
// comparing them does where numbers of a kind have their upper halves in common, and six tenths where none have. Digits
// that all have in common cost one look.
inline void sort_by_digits(std::uint64_t* numbers, std::size_t count) {
  constexpr unsigned kDigitBits = 11;
  constexpr unsigned kDigits = (64 + kDigitBits - 1) / kDigitBits;
  constexpr std::size_t kValues = std::size_t{1} << kDigitBits;
  const auto digit_of = [](std::uint64_t number, unsigned digit) { return number >> digit * kDigitBits & (kValues - 1); };
  std::vector<std::array<std::uint32_t, kValues>> counts(kDigits);
  for (std::size_t i = 0; i < count; ++i) {
    for (unsigned digit = 0; digit < kDigits; ++digit) ++counts[digit][digit_of(numbers[i], digit)];
  }
  std::vector<std::uint64_t> buffer(count);
  std::uint64_t* from = numbers;
  std::uint64_t* to = buffer.data();
  for (unsigned digit = 0; digit < kDigits; ++digit) {
    if (count == 0 || counts[digit][digit_of(numbers[0], digit)] == count) continue;
    std::uint32_t begin = 0;
    for (std::uint32_t& place : counts[digit]) begin += std::exchange(place, begin);
    for (std::size_t i = 0; i < count; ++i) to[counts[digit][digit_of(from[i], digit)]++] = from[i];
    std::swap(from, to);
  }
  if (from != numbers) std::copy(from, from + count, numbers);
}

// Of the first `count` items that two sorted lists give when they are merged, how many are of the first list. Of equal
// items those of the first list come first.
template <class T, class Less>
std::size_t share_of_first(std::span<const T> first, std::span<const T> second, std::size_t count, Less less) {
  std::size_t low = count > second.size() ? count - second.size() : 0;
  std::size_t high = std::min(count, first.size());
  while (low < high) {
    const std::size_t share = low + (high - low) / 2;
    if (less(second[count - share - 1], first[share])) {
      high = share;
    } else {
      low = share + 1;
    }
  }
  return low;
}

// Merges sorted parts of `part_size` items, of which the last may be shorter, each two neighbours until one is left.
// Equal items keep their order. What comes out of two parts is made in pieces of that size, and where a piece begins in
// both is found by bisection, so that no piece needs another. run(count, body) calls body(index) for 0 <= index < count
// in any order, on whatever threads.
template <class T, class Less, class Run>
void merge_parts(std::vector<T>& items, std::size_t part_size, Less less, Run&& run) {
  const std::size_t part_count = items.size() / part_size + (items.size() % part_size != 0 ? 1 : 0);
  if (part_count < 2) return;
  RawBuffer<T> buffer(items.size());
  std::span<T> from(items);
  std::span<T> to = buffer.span();
  for (std::size_t width = part_size; width < items.size(); width *= 2) {
    run(part_count, [&](std::size_t piece) {
      const std::size_t pos = piece * part_size;
      const std::span<const T> both = from.subspan(pos - pos % (2 * width));
      const std::span<const T> first = both.first(std::min(width, both.size()));
      const std::span<const T> second = both.subspan(first.size(), std::min(width, both.size() - first.size()));
      const std::size_t begin = pos % (2 * width);
      const std::size_t end = std::min(begin + part_size, first.size() + second.size());
      const std::size_t share_begin = share_of_first(first, second, begin, less);
      const std::size_t share_end = share_of_first(first, second, end, less);
      std::merge(first.data() + share_begin, first.data() + share_end, second.data() + (begin - share_begin),
                 second.data() + (end - share_end), to.data() + pos, less);
    });
    std::swap(from, to);
  }
  if (from.data() == items.data()) return;
  run(part_count, [&](std::size_t part) {
    const std::size_t begin = part * part_size;
    std::copy(from.data() + begin, from.data() + std::min(begin + part_size, items.size()), items.data() + begin);
  });
}

// Of parts that are short enough for a watch to end the work in time.
template <class T, class Less, class Run>
void sort_in_parts(std::vector<T>& items, Less less, Run&& run) {
  run((items.size() + kSortedPart - 1) / kSortedPart, [&](std::size_t part) {
    const std::size_t begin = part * kSortedPart;
    std::stable_sort(items.data() + begin, items.data() + std::min(begin + kSortedPart, items.size()), less);
  });
  merge_parts(items, kSortedPart, less, run);
}

// std::stable_sort that looks at the watch, which may be null.
template <class T, class Less>
void sort_watched(std::vector<T>& items, Less less, Watch* watch) {
  sort_in_parts(items, less, [watch](std::size_t count, auto&& body) {
    for (std::size_t i = 0; i < count; ++i) {
      if (watch) watch->advance();
      body(i);
    }
  });
}

// std::sort that looks at the watch, which may be null, and takes no memory: halves are told apart until they are short.
template <class T, class Less>
void sort_in_place(std::span<T> items, Less less, Watch* watch) {
  if (std::is_sorted(items.begin(), items.end(), less)) return;
  for (; items.size() > kSortedPart; items = items.subspan(items.size() / 2)) {
    const std::span<T> half = items.first(items.size() / 2);
    std::nth_element(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(half.size()), items.end(), less);
    if (watch) watch->advance();
    sort_in_place(half, less, watch);
  }
  std::sort(items.begin(), items.end(), less);
  if (watch) watch->advance();
}

// std::stable_sort by all threads, with their watch.
template <class T, class Less>
void sort_by_all(std::vector<T>& items, Less less, WorkerPool& pool) {
  sort_in_parts(items, less, [&](std::size_t count, auto&& body) { pool.for_each(count, body); });
}

inline void sort_by_all(std::vector<std::uint64_t>& items, WorkerPool& pool) {
  constexpr std::size_t kLeastPart = std::size_t{1} << 15;  // below which threads cost more than they save
  constexpr std::size_t kMostPart = std::size_t{1} << 20;   // sorted in less than a tenth of a second
  const std::size_t share = items.size() / pool.thread_count() + 1;
  const std::size_t part_size = std::clamp(share, kLeastPart, kMostPart);
  const auto run = [&](std::size_t count, auto&& body) { pool.for_each(count, body); };
  run((items.size() + part_size - 1) / part_size, [&](std::size_t part) {
    const std::size_t begin = part * part_size;
    sort_by_digits(items.data() + begin, std::min(part_size, items.size() - begin));
  });
  merge_parts(items, part_size, std::less<>(), run);
}

}  // namespace bdelta
