// Code lengths as Go makes them: the best ones that no length exceeds, by merging packages (package-merge, L. Larmore and
// D. Hirschberg, 1990).
//
// Symbols stand in a row, the rarest first. That is the first row. Each further one has, in order, the symbols and the
// pairs of the row before, a pair before a symbol that is as frequent. There are as many rows as a code may have bits. Of
// the last row 2n - 2 pieces are taken, n being the count of symbols; the pairs among them take pieces of the row before,
// and so on. A symbol's code has as many bits as there are rows of which it is taken.
//
// Later encoders first make Huffman's tree, where a symbol comes before a node that is as frequent. It is what they take
// unless a code in it is too long.
#pragma once

#include <cstdint>
#include <span>

namespace bdelta::deflate {

// frequencies: at most 288 of them. code_bits: as many. Up to two symbols get one bit. Gives the number of the last
// symbol that has a code, 0 if there is none. plain: as later encoders do it.
unsigned merged_code_lengths(std::span<const std::uint32_t> frequencies, unsigned most_bits,
                             std::span<std::uint8_t> code_bits, bool plain) noexcept;

}  // namespace bdelta::deflate
