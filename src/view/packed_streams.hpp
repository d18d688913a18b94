// Compressed streams of a file, and its view: the file with each of them replaced, where it stands, by what it
// decompresses to.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "bdelta/error.hpp"

namespace bdelta::view {

// What the streams of a view are. Part of the format: FORMAT.md, "View".
enum class StreamKind : std::uint8_t { kDeflate = 0, kPngChunks = 1 };

struct PackedStream {
  std::uint64_t file_pos = 0;
  std::uint64_t packed_bytes = 0;
  std::uint64_t raw_bytes = 0;

  [[nodiscard]] std::uint64_t file_end() const noexcept { return file_pos + packed_bytes; }
};

// In the order of the file, none inside another.
using PackedStreams = std::vector<PackedStream>;

inline constexpr std::uint64_t kMostStreams = std::uint64_t{4} << 20;  // of a file
inline constexpr std::uint64_t kMostRatio = 1032;                      // deflate's: raw bytes for a packed one

// Of the view. Sizes of streams are below 2^48.
[[nodiscard]] std::uint64_t view_bytes_of(std::uint64_t file_bytes, const PackedStreams& streams) noexcept;

// Where a stream probably begins, behind what stands at `end` in an archive; deterministic, part of the format: FORMAT.md,
// "View". Never before `end`; behind the file if that is what it says.
// No more than kMostLookedAtBytes behind `end` are looked at.
inline constexpr std::size_t kMostLookedAtBytes = 72 << 10;  // a gzip header with all that it may have, behind a trailer
[[nodiscard]] std::uint64_t likely_stream_pos(ByteSpan file, std::uint64_t end) noexcept;

}  // namespace bdelta::view
