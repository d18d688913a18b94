// Logarithms for decisions that must be the same on every machine: integers only.
#pragma once

#include <bit>
#include <cstdint>

namespace bdelta {

inline constexpr std::int64_t kLog2One = 64;  // what log2_fixed gives for 2

// log2(n) in 1/64, rounded down; n > 0. The whole part is the width, the rest comes from squaring.
constexpr std::int64_t log2_fixed(std::uint64_t n) noexcept {
  const auto whole = static_cast<unsigned>(std::bit_width(n)) - 1;
  std::uint64_t part = whole >= 31 ? n >> (whole - 31) : n << (31 - whole);  // 2^31 stands for 1
  std::int64_t log = whole;
  for (unsigned bit = 0; bit < 6; ++bit) {
    part = (part * part) >> 31;
    log <<= 1;
    if (part >= std::uint64_t{1} << 32) {
      part >>= 1;
      log |= 1;
    }
  }
  return log;
}

}  // namespace bdelta
