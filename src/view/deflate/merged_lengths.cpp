#include "view/deflate/merged_lengths.hpp"

#include <algorithm>
#include <array>
#include <bitset>

#include "view/deflate/alphabet.hpp"

namespace bdelta::deflate {

unsigned merged_code_lengths(std::span<const std::uint32_t> frequencies, unsigned most_bits,
                             std::span<std::uint8_t> code_bits) noexcept {
  std::array<std::uint64_t, kLiteralSymbols> symbols;  // frequency, and number
  std::size_t count = 0;
  std::fill(code_bits.begin(), code_bits.end(), std::uint8_t{0});
  unsigned last = 0;
  for (unsigned symbol = 0; symbol < frequencies.size(); ++symbol) {
    if (frequencies[symbol] == 0) continue;
    symbols[count++] = std::uint64_t{frequencies[symbol]} << 16 | symbol;
    last = symbol;
  }
  if (count <= 2) {
    for (std::size_t i = 0; i < count; ++i) code_bits[symbols[i] & 0xffff] = 1;
    return last;
  }
  std::sort(symbols.begin(), symbols.begin() + static_cast<std::ptrdiff_t>(count));

  std::array<std::bitset<2 * kLiteralSymbols>, kMostCodeBits> is_symbol;  // of the pieces of each row
  std::array<std::uint64_t, 2 * kLiteralSymbols> row, next;
  std::size_t size = 0;
  const std::size_t row_count = std::min<std::size_t>(most_bits, count - 1);
  for (std::size_t level = 0; level < row_count; ++level) {
    std::size_t made = 0;
    std::size_t pair = 0;
    for (std::size_t symbol = 0; symbol < count || pair + 1 < size; ++made) {
      const bool takes_pair = pair + 1 < size && (symbol == count || row[pair] + row[pair + 1] <= symbols[symbol] >> 16);
      is_symbol[level][made] = !takes_pair;
      next[made] = takes_pair ? row[pair] + row[pair + 1] : symbols[symbol] >> 16;
      if (takes_pair) {
        pair += 2;
      } else {
        ++symbol;
      }
    }
    std::swap(row, next);
    size = made;
  }
  std::size_t taken = 2 * count - 2;
  for (std::size_t level = row_count; level-- > 0;) {
    std::size_t taken_symbols = 0;
    for (std::size_t i = 0; i < taken; ++i) taken_symbols += is_symbol[level][i] ? 1u : 0u;
    for (std::size_t i = 0; i < taken_symbols; ++i) ++code_bits[symbols[i] & 0xffff];
    taken = 2 * (taken - taken_symbols);
  }
  return last;
}

}  // namespace bdelta::deflate
