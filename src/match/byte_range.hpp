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

}  // namespace bdelta
