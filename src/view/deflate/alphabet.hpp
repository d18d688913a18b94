// Deflate's alphabets (RFC 1951, 3.2.5 to 3.2.7): which symbol a length or distance has, and how many further bits.
#pragma once

#include <array>
#include <cstdint>

#include "view/deflate/token.hpp"

namespace bdelta::deflate {

inline constexpr unsigned kLiteralSymbols = 288;   // 286 and 287 have codes of the fixed trees, and no use
inline constexpr unsigned kUsedLiteralSymbols = 286;
inline constexpr unsigned kDistanceSymbols = 30;
inline constexpr unsigned kOrderSymbols = 19;      // of the code that code lengths are written in
inline constexpr unsigned kEndOfBlock = 256;
inline constexpr unsigned kFirstLengthSymbol = 257;
inline constexpr unsigned kLengthSymbols = 29;
inline constexpr unsigned kMostCodeBits = 15;
inline constexpr unsigned kMostOrderBits = 7;

enum class BlockType : std::uint8_t { kStored = 0, kFixed = 1, kDynamic = 2 };

// In the order in which a block's head has the lengths of the 19 codes.
inline constexpr std::array<std::uint8_t, kOrderSymbols> kOrderSequence = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                                  11, 4,  12, 3, 13, 2, 14, 1, 15};

struct SymbolRange {
  std::uint16_t base = 0;        // the least value that has this symbol
  std::uint8_t extra_bits = 0;   // behind the symbol, to be added to the base
};

constexpr std::array<SymbolRange, kLengthSymbols> make_length_ranges() {
  std::array<SymbolRange, kLengthSymbols> ranges{};
  unsigned next = kLeastMatch;
  for (unsigned i = 0; i + 1 < kLengthSymbols; ++i) {
    const unsigned bits = i < 8 ? 0 : i / 4 - 1;
    ranges[i] = {static_cast<std::uint16_t>(next), static_cast<std::uint8_t>(bits)};
    next += 1u << bits;
  }
  ranges[kLengthSymbols - 1] = {kMostMatch, 0};
  return ranges;
}

constexpr std::array<SymbolRange, kDistanceSymbols> make_distance_ranges() {
  std::array<SymbolRange, kDistanceSymbols> ranges{};
  unsigned next = 1;
  for (unsigned i = 0; i < kDistanceSymbols; ++i) {
    const unsigned bits = i < 4 ? 0 : i / 2 - 1;
    ranges[i] = {static_cast<std::uint16_t>(next), static_cast<std::uint8_t>(bits)};
    next += 1u << bits;
  }
  return ranges;
}

inline constexpr auto kLengthRanges = make_length_ranges();
inline constexpr auto kDistanceRanges = make_distance_ranges();

// For each length 0 to 258 the index of its symbol, counted from kFirstLengthSymbol.
constexpr std::array<std::uint8_t, kMostMatch + 1> make_length_symbols() {
  std::array<std::uint8_t, kMostMatch + 1> symbols{};
  unsigned symbol = 0;
  for (unsigned length = kLeastMatch; length <= kMostMatch; ++length) {
    while (symbol + 1 < kLengthSymbols && kLengthRanges[symbol + 1].base <= length) ++symbol;
    symbols[length] = static_cast<std::uint8_t>(symbol);
  }
  return symbols;
}

// Distances less 1: up to 255 themselves, from 256 on their 128ths.
constexpr std::array<std::uint8_t, 512> make_distance_symbols() {
  std::array<std::uint8_t, 512> symbols{};
  for (unsigned symbol = 0; symbol < kDistanceSymbols; ++symbol) {
    const unsigned first = kDistanceRanges[symbol].base - 1u;
    for (unsigned d = first; d < first + (1u << kDistanceRanges[symbol].extra_bits); ++d) {
      symbols[d < 256 ? d : 256 + (d >> 7)] = static_cast<std::uint8_t>(symbol);
    }
  }
  return symbols;
}

inline constexpr auto kLengthSymbolOf = make_length_symbols();
inline constexpr auto kDistanceSymbolOf = make_distance_symbols();

// distance: 1 to 32768.
[[nodiscard]] constexpr unsigned distance_symbol(std::uint32_t distance) noexcept {
  const std::uint32_t d = distance - 1;
  return kDistanceSymbolOf[d < 256 ? d : 256 + (d >> 7)];
}

// Lengths of the fixed trees' codes.
struct FixedBits {
  std::array<std::uint8_t, kLiteralSymbols> literals{};
  std::array<std::uint8_t, 32> distances{};
};
constexpr FixedBits make_fixed_bits() {
  FixedBits bits;
  for (unsigned i = 0; i < kLiteralSymbols; ++i) bits.literals[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
  for (std::uint8_t& distance : bits.distances) distance = 5;
  return bits;
}
inline constexpr FixedBits kFixedBits = make_fixed_bits();

}  // namespace bdelta::deflate
