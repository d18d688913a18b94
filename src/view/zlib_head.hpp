// The head of a stream of zlib (RFC 1950), and what stands behind its deflate stream.
#pragma once

#include "base/bytes.hpp"

namespace bdelta::view {

inline constexpr std::size_t kZlibHeadBytes = 2;
inline constexpr std::size_t kZlibTrailerBytes = 4;  // Adler-32, most significant byte first

// Whether two bytes can be one, without a preset dictionary.
[[nodiscard]] constexpr bool is_zlib_head(std::uint8_t method, std::uint8_t flags) noexcept {
  constexpr unsigned kDeflate = 8, kMostWindow = 7, kDictionary = 0x20;
  return (method & 15u) == kDeflate && method >> 4u <= kMostWindow && (flags & kDictionary) == 0 && (method * 256u + flags) % 31 == 0;
}

}  // namespace bdelta::view
