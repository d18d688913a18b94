// The lengths of codes as zlib chooses them for symbols of given frequencies.
//
// That is Huffman's method with ties broken in one certain way, and a rule of its own for codes that come out too long.
// Both decide which symbol gets which length, so both are followed exactly.
//
// Symbols with a frequency stand in a binary heap, in the order of their numbers, made a heap from the last parent to
// the first. The two least ones are taken again and again and become one node, until one is left. Less is what is less
// frequent, or as frequent and not deeper. A node takes the place of the second one taken.
//
// From the last node taken to the first each gets its parent's length and one more, at most `most_bits`. If any was cut
// there, lengths are moved. A leaf of the longest length below `most_bits` goes one deeper, with a cut one beside it,
// until all that were cut have a place. Leaves then get their lengths anew, the first taken the longest.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "view/deflate/alphabet.hpp"

namespace bdelta::deflate {

class CodeLengthBuilder {
 public:
  // frequencies: at most 288 of them. There are always two codes at least: symbols 0 and 1 get one where they have to.
  // code_bits: as many as frequencies. Gives the number of the last symbol that has a code.
  unsigned build(std::span<const std::uint32_t> frequencies, unsigned most_bits, std::span<std::uint8_t> code_bits) noexcept;

 private:
  static constexpr unsigned kMostNodes = 2 * kLiteralSymbols;

  void fill_heap(std::span<const std::uint32_t> frequencies) noexcept;
  void sift_down(unsigned at) noexcept;
  void join_nodes(unsigned symbol_count) noexcept;
  void shorten(unsigned most_bits, unsigned symbol_count, unsigned cut_count) noexcept;

  // {frequency, depth, node} from the highest bits down: 32, 16, 16. Nodes are not compared.
  std::array<std::uint64_t, kMostNodes> heap_;  // from 1 on
  unsigned heap_size_ = 0;
  unsigned last_symbol_ = 0;
  std::array<std::uint16_t, kMostNodes> taken_;  // nodes in the order in which they left the heap
  unsigned taken_count_ = 0;
  std::array<std::uint16_t, kMostNodes> parent_;
  std::array<std::uint8_t, kMostNodes> bits_;
  std::array<unsigned, kMostCodeBits + 1> counts_;
};

}  // namespace bdelta::deflate
