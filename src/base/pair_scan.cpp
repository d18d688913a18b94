#include "base/pair_scan.hpp"

#include <algorithm>

namespace bdelta {
namespace {

constexpr std::size_t kBlockBytes = 512;  // asked at once

}  // namespace

// Bitwise operators throughout: a branch would keep the loop from being vectorised.
bool PairScan::stands_in(const std::uint8_t* block) const noexcept {
  unsigned any = 0;
  for (std::size_t pair = 0; pair < pair_count_; ++pair) {
    const std::uint8_t first = pairs_[pair][0], second = pairs_[pair][1];
    std::uint8_t found = 0;
    for (std::size_t i = 0; i < kBlockBytes; ++i) {
      found = static_cast<std::uint8_t>(found | (static_cast<unsigned>(block[i] == first) & static_cast<unsigned>(block[i + 1] == second)));
    }
    any |= found;
  }
  return any != 0;
}

std::size_t PairScan::find_portably(const std::uint8_t* bytes, std::size_t count) const noexcept {
  for (std::size_t at = 0; at < count;) {
    const std::size_t length = std::min(kBlockBytes, count - at);
    if (length == kBlockBytes && !stands_in(bytes + at)) {
      at += kBlockBytes;
      continue;
    }
    for (const std::size_t end = at + length; at < end; ++at) {
      if (stands_at(bytes + at)) return at;
    }
  }
  return count;
}

std::size_t PairScan::find(const std::uint8_t* bytes, std::size_t count) const noexcept {
#if defined(BDELTA_HAVE_AVX2)
  if (__builtin_cpu_supports("avx2")) return find_avx2(bytes, count);
#endif
  return find_portably(bytes, count);
}

}  // namespace bdelta
