#include "exe/magic_scan.hpp"

#include <algorithm>

namespace bdelta::exe {
namespace {

constexpr std::size_t kBlockBytes = 512;

// Bitwise operators throughout: a branch would keep loops from being vectorised.
constexpr std::uint8_t begins_magic(std::uint8_t first, std::uint8_t second) noexcept {
  unsigned any = 0;
  for (const auto& pair : kMagicPairs) {
    any |= static_cast<unsigned>(first == pair[0]) & static_cast<unsigned>(second == pair[1]);
  }
  return static_cast<std::uint8_t>(any);
}

// Asked of a block at once, in a loop without branches that compilers turn into vector instructions.
bool any_begins_magic(const std::uint8_t* block) noexcept {
  std::uint8_t any = 0;
  for (std::size_t i = 0; i < kBlockBytes; ++i) any = static_cast<std::uint8_t>(any | begins_magic(block[i], block[i + 1]));
  return any != 0;
}

}  // namespace

std::size_t find_magic_portably(const std::uint8_t* bytes, std::size_t count) noexcept {
  for (std::size_t at = 0; at < count;) {
    const std::size_t length = std::min(kBlockBytes, count - at);
    if (length == kBlockBytes && !any_begins_magic(bytes + at)) {
      at += kBlockBytes;
      continue;
    }
    for (const std::size_t end = at + length; at < end; ++at) {
      if (begins_magic(bytes[at], bytes[at + 1]) != 0) return at;
    }
  }
  return count;
}

MagicScan best_magic_scan() noexcept {
#if defined(BDELTA_HAVE_AVX2)
  if (__builtin_cpu_supports("avx2")) return find_magic_avx2;
#endif
  return find_magic_portably;
}

}  // namespace bdelta::exe
