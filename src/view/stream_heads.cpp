#include "view/stream_heads.hpp"

#include <algorithm>

namespace bdelta::view {
namespace {

constexpr std::size_t kAskedBytes = 128;  // at once

// Bitwise operators throughout: a branch would keep loops from being vectorised.
constexpr std::uint8_t begins_head(std::uint8_t first, std::uint8_t second) noexcept {
  unsigned any = 0;
  for (const auto& pair : kHeadPairs) any |= static_cast<unsigned>(first == pair[0]) & static_cast<unsigned>(second == pair[1]);
  return static_cast<std::uint8_t>(any);
}

bool any_begins_head(const std::uint8_t* bytes) noexcept {
  std::uint8_t any = 0;
  for (std::size_t i = 0; i < kAskedBytes; ++i) any = static_cast<std::uint8_t>(any | begins_head(bytes[i], bytes[i + 1]));
  return any != 0;
}

}  // namespace

std::size_t find_head_portably(const std::uint8_t* bytes, std::size_t count) noexcept {
  for (std::size_t at = 0; at < count;) {
    const std::size_t length = std::min(kAskedBytes, count - at);
    if (length == kAskedBytes && !any_begins_head(bytes + at)) {
      at += kAskedBytes;
      continue;
    }
    for (const std::size_t end = at + length; at < end; ++at) {
      if (begins_head(bytes[at], bytes[at + 1]) != 0) return at;
    }
  }
  return count;
}

HeadScan best_head_scan() noexcept {
#if defined(BDELTA_HAVE_AVX2)
  if (__builtin_cpu_supports("avx2")) return find_head_avx2;
#endif
  return find_head_portably;
}

}  // namespace bdelta::view
