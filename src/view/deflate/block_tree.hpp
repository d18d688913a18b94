// The head of a block with trees of its own, as it is written: not only which codes there are, also how they are said.
#pragma once

#include <array>
#include <cstdint>

#include "view/deflate/alphabet.hpp"

namespace bdelta::deflate {

// One symbol of the list of code lengths: a length 0 to 15 itself (run 1), or 16, 17, 18 with how many lengths it says.
struct LengthOp {
  std::uint8_t symbol = 0;
  std::uint8_t run = 1;

  bool operator==(const LengthOp&) const = default;
};

struct BlockTree {
  static constexpr unsigned kMostLengths = kUsedLiteralSymbols + kDistanceSymbols;

  std::uint16_t literal_count = 257;   // lengths said for literals and lengths, 257 to 286
  std::uint8_t distance_count = 1;     // likewise for distances, 1 to 30
  std::uint8_t order_count = 4;        // likewise for the code of the lengths, 4 to 19
  std::uint16_t op_count = 0;
  std::array<std::uint8_t, kLiteralSymbols> literal_bits{};   // 0: the symbol has no code
  std::array<std::uint8_t, kDistanceSymbols> distance_bits{};
  std::array<std::uint8_t, kOrderSymbols> order_bits{};       // by symbol, not in the order of kOrderSequence
  std::array<LengthOp, kMostLengths> ops{};

  bool operator==(const BlockTree& other) const noexcept {
    if (literal_count != other.literal_count || distance_count != other.distance_count || order_count != other.order_count ||
        op_count != other.op_count || literal_bits != other.literal_bits || distance_bits != other.distance_bits ||
        order_bits != other.order_bits) {
      return false;
    }
    for (unsigned i = 0; i < op_count; ++i) {
      if (ops[i] != other.ops[i]) return false;
    }
    return true;
  }

  void add_op(unsigned symbol, unsigned run) noexcept {
    ops[op_count++] = {static_cast<std::uint8_t>(symbol), static_cast<std::uint8_t>(run)};
  }
};

}  // namespace bdelta::deflate
