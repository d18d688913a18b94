#include "view/deflate/decode_table.hpp"

#include <algorithm>

#include "view/deflate/prefix_code.hpp"

namespace bdelta::deflate {
namespace {

DecodeEntry entry_of(Alphabet alphabet, unsigned symbol, unsigned bits) noexcept {
  if (alphabet == Alphabet::kCodeLengths) return {DecodeEntry::kLiteral, bits, 0, symbol};
  if (alphabet == Alphabet::kDistances) {
    if (symbol >= kDistanceSymbols) return {};
    return {DecodeEntry::kBase, bits, kDistanceRanges[symbol].extra_bits, kDistanceRanges[symbol].base};
  }
  if (symbol < kEndOfBlock) return {DecodeEntry::kLiteral, bits, 0, symbol};
  if (symbol == kEndOfBlock) return {DecodeEntry::kEnd, bits, 0, 0};
  if (symbol >= kUsedLiteralSymbols) return {};
  const SymbolRange range = kLengthRanges[symbol - kFirstLengthSymbol];
  return {DecodeEntry::kBase, bits, range.extra_bits, range.base};
}

// Whether the counts of codes by length make a code that is complete, or one that deflate allows nevertheless.
bool is_allowed(Alphabet alphabet, const CodeCounts& counts) noexcept {
  int left = 1;
  unsigned longest = 0;
  for (unsigned bits = 1; bits <= kMostCodeBits; ++bits) {
    left = 2 * left - counts[bits];
    if (left < 0) return false;
    if (counts[bits] != 0) longest = bits;
  }
  if (longest == 0) return true;  // every code that is read is invalid then
  return left == 0 || (longest == 1 && alphabet != Alphabet::kCodeLengths);
}

}  // namespace

bool DecodeTable::build(Alphabet alphabet, std::span<const std::uint8_t> code_bits) noexcept {
  const CodeCounts counts = count_code_bits(code_bits);
  if (!is_allowed(alphabet, counts)) return false;
  std::array<std::uint16_t, kLiteralSymbols> codes;
  assign_codes(code_bits, counts, codes);

  constexpr unsigned kRootSize = 1u << kRootBits;
  std::fill(entries_.begin(), entries_.begin() + kRootSize, DecodeEntry{});
  std::array<std::uint8_t, kRootSize> deeper{};  // for each root index the bits of the table behind
  for (unsigned symbol = 0; symbol < code_bits.size(); ++symbol) {
    if (code_bits[symbol] <= kRootBits) continue;
    std::uint8_t& bits = deeper[codes[symbol] & (kRootSize - 1)];
    bits = std::max(bits, static_cast<std::uint8_t>(code_bits[symbol] - kRootBits));
  }
  unsigned next = kRootSize;
  for (unsigned index = 0; index < kRootSize; ++index) {
    if (deeper[index] == 0) continue;
    entries_[index] = {DecodeEntry::kDeeper, 0, deeper[index], next};
    next += 1u << deeper[index];
  }
  for (unsigned symbol = 0; symbol < code_bits.size(); ++symbol) {
    const unsigned bits = code_bits[symbol];
    if (bits == 0) continue;
    if (bits <= kRootBits) {
      const DecodeEntry entry = entry_of(alphabet, symbol, bits);
      for (unsigned index = codes[symbol]; index < kRootSize; index += 1u << bits) entries_[index] = entry;
      continue;
    }
    const DecodeEntry root = entries_[codes[symbol] & (kRootSize - 1)];
    const DecodeEntry entry = entry_of(alphabet, symbol, bits - kRootBits);
    const unsigned size = 1u << root.extra_bits();
    for (unsigned index = codes[symbol] >> kRootBits; index < size; index += 1u << (bits - kRootBits)) {
      entries_[root.value() + index] = entry;
    }
  }
  return true;
}

}  // namespace bdelta::deflate
