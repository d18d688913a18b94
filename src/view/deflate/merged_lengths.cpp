#include "view/deflate/merged_lengths.hpp"

#include <algorithm>
#include <array>
#include <bitset>

#include "view/deflate/alphabet.hpp"

namespace bdelta::deflate {
namespace {

// Symbols are numbered as in `symbols`, which have their frequency above 16 bits, the rarest first; nodes come behind them.
// False if a code would be longer than most_bits.
bool make_plain_tree(std::span<const std::uint64_t> symbols, unsigned most_bits, std::span<std::uint8_t> code_bits) noexcept {
  const std::size_t count = symbols.size();
  std::array<std::uint16_t, 2 * kLiteralSymbols> parent;
  std::array<std::uint64_t, kLiteralSymbols> sums;
  std::size_t symbol = 0;
  std::size_t node = 0;
  for (std::size_t made = 0; made < count - 1; ++made) {
    sums[made] = 0;
    for (unsigned child = 0; child < 2; ++child) {
      const bool takes_symbol = symbol < count && (node >= made || symbols[symbol] >> 16 <= sums[node]);
      sums[made] += takes_symbol ? symbols[symbol] >> 16 : sums[node];
      parent[takes_symbol ? symbol++ : count + node++] = static_cast<std::uint16_t>(count + made);
    }
  }
  std::array<std::uint16_t, 2 * kLiteralSymbols> depth;
  std::array<std::uint16_t, kMostCodeBits + 1> counts{};
  depth[2 * count - 2] = 0;
  for (std::size_t i = 2 * count - 2; i-- > 0;) {
    depth[i] = static_cast<std::uint16_t>(depth[parent[i]] + 1);
    if (i >= count) continue;
    if (depth[i] > most_bits) return false;
    ++counts[depth[i]];
  }
  std::size_t next = count;
  for (unsigned bits = 1; bits <= most_bits; ++bits) {
    for (unsigned i = 0; i < counts[bits]; ++i) code_bits[symbols[--next] & 0xffff] = static_cast<std::uint8_t>(bits);
  }
  return true;
}

}  // namespace

unsigned merged_code_lengths(std::span<const std::uint32_t> frequencies, unsigned most_bits,
                             std::span<std::uint8_t> code_bits, bool plain) noexcept {
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
  if (plain && make_plain_tree({symbols.data(), count}, most_bits, code_bits)) return last;

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
