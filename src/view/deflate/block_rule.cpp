#include "view/deflate/block_rule.hpp"

#include <algorithm>

#include "view/deflate/merged_lengths.hpp"

namespace bdelta::deflate {
namespace {

constexpr unsigned kTypeBits = 3;  // with the bit of the last block

std::uint64_t bytes_of(std::uint64_t bits) noexcept { return (bits + kTypeBits + 7) / 8; }

}  // namespace

std::uint64_t head_bits(const BlockTree& tree) noexcept {
  std::uint64_t bits = 14 + 3u * tree.order_count;
  for (unsigned i = 0; i < tree.op_count; ++i) {
    const unsigned symbol = tree.ops[i].symbol;
    bits += tree.order_bits[symbol] + (symbol == 16 ? 2u : symbol == 17 ? 3u : symbol == 18 ? 7u : 0u);
  }
  return bits;
}

BlockCounts count_symbols(std::span<const Token> tokens) noexcept {
  BlockCounts counts;
  for (const Token token : tokens) {
    if (!is_match(token)) {
      ++counts.literals[token];
      ++counts.raw_bytes;
      continue;
    }
    const unsigned length = length_of(token);
    ++counts.literals[kFirstLengthSymbol + kLengthSymbolOf[length]];
    ++counts.distances[distance_symbol(distance_of(token))];
    counts.raw_bytes += length;
  }
  counts.literals[kEndOfBlock] = 1;
  return counts;
}

LengthOp length_op_by_rule(std::span<const std::uint8_t> code_bits, std::size_t at) noexcept {
  const std::uint8_t bits = code_bits[at];
  const std::size_t most = std::min<std::size_t>(code_bits.size() - at, bits == 0 ? 138 : 6);
  std::uint8_t run = 1;
  while (run < most && code_bits[at + run] == bits) ++run;
  if (run < 3) return {bits, 1};
  if (bits == 0) return {static_cast<std::uint8_t>(run <= 10 ? 17 : 18), run};
  if (at > 0 && code_bits[at - 1] == bits) return {16, run};
  return {bits, 1};
}

unsigned BlockRule::build(std::span<const std::uint32_t> frequencies, unsigned most_bits,
                          std::span<std::uint8_t> code_bits) noexcept {
  if (!go_) return builder_.build(frequencies, most_bits, code_bits);
  return merged_code_lengths(frequencies, most_bits, code_bits, plain_);
}

void BlockRule::add_ops(std::span<const std::uint8_t> lengths, BlockTree& tree) noexcept {
  for (std::size_t at = 0; at < lengths.size();) {
    const LengthOp op = length_op_by_rule(lengths, at);
    tree.add_op(op.symbol, op.run);
    at += op.run;
  }
}

void BlockRule::make_tree(const BlockCounts& counts, BlockTree& tree, bool ends) noexcept {
  const std::span<const std::uint32_t> literals(counts.literals.data(), kUsedLiteralSymbols);
  tree.literal_bits.fill(0);
  tree.literal_count = static_cast<std::uint16_t>(build(literals, kMostCodeBits, tree.literal_bits) + 1);
  tree.distance_count = static_cast<std::uint8_t>(build(counts.distances, kMostCodeBits, tree.distance_bits) + 1);
  if (go_ && tree.distance_bits[tree.distance_count - 1u] == 0) tree.distance_bits[0] = 1;
  if (says_all_ && !ends && tree.literal_count > kFirstLengthSymbol) {
    tree.literal_count = kUsedLiteralSymbols;
    tree.distance_count = kDistanceSymbols;
  }
  tree.op_count = 0;
  if (go_) {
    std::array<std::uint8_t, BlockTree::kMostLengths> lengths;
    std::copy_n(tree.literal_bits.begin(), tree.literal_count, lengths.begin());
    std::copy_n(tree.distance_bits.begin(), tree.distance_count, lengths.begin() + tree.literal_count);
    add_ops({lengths.data(), std::size_t{tree.literal_count} + tree.distance_count}, tree);
  } else {
    add_ops({tree.literal_bits.data(), tree.literal_count}, tree);
    add_ops({tree.distance_bits.data(), tree.distance_count}, tree);
  }
  make_order(tree);
}

void BlockRule::make_order(BlockTree& tree) noexcept {
  std::array<std::uint32_t, kOrderSymbols> counts{};
  for (unsigned i = 0; i < tree.op_count; ++i) ++counts[tree.ops[i].symbol];
  build(counts, kMostOrderBits, tree.order_bits);
  tree.order_count = kOrderSymbols;
  while (tree.order_count > 4 && tree.order_bits[kOrderSequence[tree.order_count - 1u]] == 0) --tree.order_count;
}

BlockType BlockRule::choose_type(const BlockCounts& counts, const BlockTree& tree, bool may_store) const noexcept {
  if (go_ && counts.raw_bytes <= always_stored_) return BlockType::kStored;
  std::uint64_t dynamic_bits = head_bits(tree);
  std::uint64_t fixed_bits = 0;
  for (unsigned symbol = 0; symbol < kUsedLiteralSymbols; ++symbol) {
    const std::uint64_t count = counts.literals[symbol];
    const unsigned extra = symbol > kEndOfBlock && !counts_bytes_ ? kLengthRanges[symbol - kFirstLengthSymbol].extra_bits : 0u;
    dynamic_bits += count * (tree.literal_bits[symbol] + extra);
    fixed_bits += count * (kFixedBits.literals[symbol] + extra);
  }
  for (unsigned symbol = 0; symbol < kDistanceSymbols; ++symbol) {
    const std::uint64_t count = counts.distances[symbol];
    const unsigned extra = counts_bytes_ ? 0 : kDistanceRanges[symbol].extra_bits;
    dynamic_bits += count * (tree.distance_bits[symbol] + extra);
    fixed_bits += count * (kFixedBits.distances[symbol] + extra);
  }
  if (go_) {
    if (tree.distance_count == 1 && counts.distances[0] == 0) {  // it counts the distance that is not there
      dynamic_bits += tree.distance_bits[0];
      fixed_bits += kFixedBits.distances[0];
    }
    // It counts bits. Where it counts a block's bytes it has no fixed trees, and stores for a gain of less than a sixteenth.
    const std::uint64_t stored = 8 * (counts.raw_bytes + 5);
    const std::uint64_t dynamic = dynamic_bits + kTypeBits;
    const std::uint64_t packed = counts_bytes_ ? dynamic + dynamic / 16 : std::min(dynamic, fixed_bits + kTypeBits);
    if (may_store && stored < packed) return BlockType::kStored;
    return !counts_bytes_ && fixed_bits <= dynamic_bits ? BlockType::kFixed : BlockType::kDynamic;
  }
  const std::uint64_t fixed_bytes = bytes_of(fixed_bits);
  const std::uint64_t least = std::min(bytes_of(dynamic_bits), fixed_bytes);
  if (counts.raw_bytes + 4 <= least && may_store) return BlockType::kStored;
  return fixed_bytes == least ? BlockType::kFixed : BlockType::kDynamic;
}

}  // namespace bdelta::deflate
