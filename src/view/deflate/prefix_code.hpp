// From the lengths of codes to the codes themselves (RFC 1951, 3.2.2).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "view/deflate/alphabet.hpp"

namespace bdelta::deflate {

using CodeCounts = std::array<std::uint16_t, kMostCodeBits + 1>;  // how many codes have that length; 0 for length 0

[[nodiscard]] inline CodeCounts count_code_bits(std::span<const std::uint8_t> code_bits) noexcept {
  CodeCounts counts{};
  for (const std::uint8_t bits : code_bits) ++counts[bits];
  counts[0] = 0;
  return counts;
}

[[nodiscard]] constexpr std::uint16_t reversed_bits(unsigned value, unsigned count) noexcept {
  unsigned reversed = 0;
  for (; count > 0; --count, value >>= 1) reversed = reversed << 1 | (value & 1);
  return static_cast<std::uint16_t>(reversed);
}

// codes: as they stand in the stream, the first bit lowest; at least as many as code_bits. Those without are 0.
inline void assign_codes(std::span<const std::uint8_t> code_bits, const CodeCounts& counts,
                         std::span<std::uint16_t> codes) noexcept {
  std::array<unsigned, kMostCodeBits + 2> next{};
  for (unsigned bits = 1; bits <= kMostCodeBits; ++bits) next[bits + 1] = (next[bits] + counts[bits]) << 1;
  for (std::size_t symbol = 0; symbol < code_bits.size(); ++symbol) {
    const unsigned bits = code_bits[symbol];
    codes[symbol] = bits == 0 ? std::uint16_t{0} : reversed_bits(next[bits]++, bits);
  }
}

}  // namespace bdelta::deflate
