// Stretches of a file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace bdelta {

struct ByteRange {
  std::uint64_t begin;
  std::uint64_t end;
};

// Ascending and apart. Where they say what of a source a pass reads, none means all of it.
using ByteRanges = std::vector<ByteRange>;

[[nodiscard]] inline std::uint64_t total_bytes(const ByteRanges& ranges) noexcept {
  std::uint64_t total = 0;
  for (const ByteRange& range : ranges) total += range.end - range.begin;
  return total;
}

// What `ranges` mean for a source, in pieces of piece_bytes at most.
[[nodiscard]] inline ByteRanges cut_ranges(const ByteRanges& ranges, std::uint64_t source_size,
                                           std::uint64_t piece_bytes) {
  ByteRanges pieces;
  const auto cut = [&](const ByteRange& range) {
    const std::uint64_t stop = std::min(range.end, source_size);
    for (std::uint64_t pos = range.begin; pos < stop; pos += piece_bytes) {
      pieces.push_back({pos, std::min(pos + piece_bytes, stop)});
    }
  };
  if (ranges.empty()) cut({0, source_size});
  for (const ByteRange& range : ranges) cut(range);
  return pieces;
}

// How many of `size` bytes one task takes: no more than most_bytes, and so that the tasks are alike and even in number, as
// most machines' threads are. Few bytes are left together: what lies behind a task's borders is not known to it.
[[nodiscard]] inline std::uint64_t even_task_bytes(std::uint64_t size, std::uint64_t most_bytes) noexcept {
  constexpr std::uint64_t kFewBytes = std::uint64_t{4} << 20;
  if (size <= std::min(kFewBytes, most_bytes)) return most_bytes;
  const std::uint64_t task_count = 2 * ((size + most_bytes - 1) / most_bytes);
  return (size + task_count - 1) / task_count;
}

}  // namespace bdelta
