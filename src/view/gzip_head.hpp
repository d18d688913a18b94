// The head of a member of a gzip file (RFC 1952, 2.3).
#pragma once

#include <algorithm>

#include "base/bytes.hpp"
#include "base/checked.hpp"

namespace bdelta::view {

inline constexpr std::uint64_t kGzipTrailerBytes = 8;  // CRC-32 and ISIZE

inline constexpr std::uint8_t kGzipMagic[] = {0x1f, 0x8b, 8};  // with the method

inline constexpr std::size_t kMostGzipTextBytes = 1024;  // of a name or comment: what looks like a head may have no end

// Of the head at pos; 0 if there is none that is whole.
[[nodiscard]] inline std::uint64_t whole_gzip_head_bytes(ByteSpan file, std::uint64_t pos) noexcept {
  constexpr std::uint64_t kFixedBytes = 10;
  constexpr unsigned kHeadCheck = 2, kExtra = 4, kName = 8, kComment = 16, kReserved = 0xe0;
  if (!range_fits(pos, kFixedBytes, file.size())) return 0;
  const ByteSpan member = file.subspan(static_cast<std::size_t>(pos));
  if (member[0] != kGzipMagic[0] || member[1] != kGzipMagic[1] || member[2] != kGzipMagic[2] || (member[3] & kReserved) != 0) return 0;
  const unsigned flags = member[3];
  std::size_t at = kFixedBytes;
  if ((flags & kExtra) != 0) {
    if (member.size() - at < 2) return 0;
    at += std::size_t{2} + load_le<std::uint16_t>(member.data() + at);
  }
  for (const unsigned flag : {kName, kComment}) {
    if ((flags & flag) == 0) continue;
    const ByteSpan text = member.subspan(std::min(at, member.size()));
    const ByteSpan searched = text.first(std::min(text.size(), kMostGzipTextBytes + 1));
    const auto end = std::find(searched.begin(), searched.end(), std::uint8_t{0});
    if (end == searched.end()) return 0;
    at += static_cast<std::size_t>(end - searched.begin()) + 1;
  }
  if ((flags & kHeadCheck) != 0) at += 2;
  return at <= member.size() ? at : 0;
}

// Bytes in front of the deflate stream of the member at pos; 0 if there is none.
[[nodiscard]] inline std::uint64_t gzip_head_bytes(ByteSpan file, std::uint64_t pos) noexcept {
  const std::uint64_t bytes = whole_gzip_head_bytes(file, pos);
  return bytes < file.size() - pos ? bytes : 0;
}

}  // namespace bdelta::view
