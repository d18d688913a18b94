// Sorting by all threads.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "parallel/worker_pool.hpp"

namespace bdelta {

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

// Sorts in parts that are short enough for the watch of the pool to end the work in time.
inline void sort_by_all(std::vector<std::uint64_t>& items, WorkerPool& pool) {
  constexpr std::size_t kLeastPart = std::size_t{1} << 15;  // below which threads cost more than they save
  constexpr std::size_t kMostPart = std::size_t{1} << 20;   // sorted in less than a tenth of a second
  const std::size_t wanted = std::max(std::size_t{pool.thread_count()}, (items.size() + kMostPart - 1) / kMostPart);
  const std::size_t part_count = std::min(std::bit_ceil(wanted), std::bit_floor(items.size() / kLeastPart | 1));
  const auto border = [&](std::size_t part) {
    return items.begin() + static_cast<std::ptrdiff_t>(items.size() / part_count * part +
                                                       std::min(part, items.size() % part_count));
  };
  pool.for_each(part_count, [&](std::size_t part) {
    sort_by_digits(items.data() + (border(part) - items.begin()), static_cast<std::size_t>(border(part + 1) - border(part)));
  });
  for (std::size_t width = 1; width < part_count; width *= 2) {
    pool.for_each(part_count / (2 * width), [&](std::size_t pair) {
      const std::size_t first = 2 * width * pair;
      std::inplace_merge(border(first), border(first + width), border(first + 2 * width));
    });
  }
}

}  // namespace bdelta
