#include "view/deflate/block_emit.hpp"

#include "view/deflate/prefix_code.hpp"

namespace bdelta::deflate {
namespace {

// Bits to be written at once.
struct Code {
  std::uint32_t bits = 0;
  std::uint32_t count = 0;  // 0: there is no code
};

struct EmitTables {
  std::array<Code, kEndOfBlock> literals;
  std::array<Code, kMostMatch + 1> lengths;  // with the bits behind the symbol
  std::array<Code, kDistanceSymbols> distances;
  Code end_of_block;
};

constexpr std::size_t kMostTokenBytes = 6;  // 15 + 5 + 15 + 13 bits

EmitTables make_tables(std::span<const std::uint8_t> literal_bits, std::span<const std::uint8_t> distance_bits) noexcept {
  std::array<std::uint16_t, kLiteralSymbols> codes;
  assign_codes(literal_bits, count_code_bits(literal_bits), codes);
  EmitTables tables;
  for (unsigned i = 0; i < kEndOfBlock; ++i) tables.literals[i] = {codes[i], literal_bits[i]};
  tables.end_of_block = {codes[kEndOfBlock], literal_bits[kEndOfBlock]};
  for (unsigned length = kLeastMatch; length <= kMostMatch; ++length) {
    const unsigned symbol = kLengthSymbolOf[length];
    const unsigned bits = literal_bits[kFirstLengthSymbol + symbol];
    const SymbolRange range = kLengthRanges[symbol];
    tables.lengths[length] = {codes[kFirstLengthSymbol + symbol] | (length - range.base) << bits,
                              bits == 0 ? 0 : bits + range.extra_bits};
  }
  std::array<std::uint16_t, 32> distance_codes{};
  assign_codes(distance_bits, count_code_bits(distance_bits), distance_codes);
  for (unsigned i = 0; i < kDistanceSymbols; ++i) tables.distances[i] = {distance_codes[i], distance_bits[i]};
  return tables;
}

void put_tree(BitWriter& to, const BlockTree& tree) {
  to.put(tree.literal_count - 257u, 5);
  to.put(tree.distance_count - 1u, 5);
  to.put(tree.order_count - 4u, 4);
  for (unsigned i = 0; i < tree.order_count; ++i) to.put(tree.order_bits[kOrderSequence[i]], 3);
  std::array<std::uint16_t, kOrderSymbols> codes;
  assign_codes(tree.order_bits, count_code_bits(tree.order_bits), codes);
  for (unsigned i = 0; i < tree.op_count; ++i) {
    const LengthOp op = tree.ops[i];
    to.put(codes[op.symbol], tree.order_bits[op.symbol]);
    if (op.symbol == 16) to.put(op.run - 3u, 2);
    if (op.symbol == 17) to.put(op.run - 3u, 3);
    if (op.symbol == 18) to.put(op.run - 11u, 7);
  }
}

bool all_have_codes(std::span<const Token> tokens, const EmitTables& tables) noexcept {
  for (const Token token : tokens) {
    const bool has = is_match(token) ? tables.lengths[length_of(token)].count != 0 &&
                                           tables.distances[distance_symbol(distance_of(token))].count != 0
                                     : tables.literals[token].count != 0;
    if (!has) return false;
  }
  return tables.end_of_block.count != 0;
}

inline void put_word(BitWriter::State& state) noexcept {
  if (state.count < 32) return;
  store_le(state.at, static_cast<std::uint32_t>(state.bits));
  state.at += 4;
  state.bits >>= 32;
  state.count -= 32;
}

inline void put_code(BitWriter::State& state, std::uint64_t bits, unsigned count) noexcept {
  state.bits |= bits << state.count;
  state.count += count;
}

void put_tokens(BitWriter& to, std::span<const Token> tokens, const EmitTables& tables, bool with_end) {
  BitWriter::State state = to.begin(tokens.size() * kMostTokenBytes + 16);
  for (const Token token : tokens) {
    if (!is_match(token)) {
      const Code code = tables.literals[token];
      put_code(state, code.bits, code.count);
    } else {
      const Code length = tables.lengths[length_of(token)];
      put_code(state, length.bits, length.count);
      put_word(state);
      const std::uint32_t distance = distance_of(token);
      const unsigned symbol = distance_symbol(distance);
      const Code code = tables.distances[symbol];
      const SymbolRange range = kDistanceRanges[symbol];
      put_code(state, code.bits | std::uint64_t{distance - range.base} << code.count, code.count + range.extra_bits);
    }
    put_word(state);
  }
  to.commit(state);
  if (with_end) to.put(tables.end_of_block.bits, tables.end_of_block.count);
}

}  // namespace

void emit_stored(BitWriter& to, bool last, ByteSpan text) {
  to.put((last ? 1u : 0u) | static_cast<unsigned>(BlockType::kStored) << 1, 3);
  to.align();
  const auto length = static_cast<std::uint32_t>(text.size());
  to.put(length | (length ^ 0xffff) << 16, 32);
  to.put_bytes(text);
}

bool emit_tokens(BitWriter& to, bool last, std::span<const Token> tokens, const BlockTree* tree, BlockParts parts) {
  static const EmitTables fixed_tables = make_tables(kFixedBits.literals, kFixedBits.distances);
  const EmitTables own_tables = tree ? make_tables(tree->literal_bits, tree->distance_bits) : EmitTables{};
  if (tree && !parts.fits && !all_have_codes(tokens, own_tables)) return false;
  const BlockType type = tree ? BlockType::kDynamic : BlockType::kFixed;
  if (parts.head) {
    to.put((last ? 1u : 0u) | static_cast<unsigned>(type) << 1, 3);
    if (tree) put_tree(to, *tree);
  }
  put_tokens(to, tokens, tree ? own_tables : fixed_tables, parts.end);
  return true;
}

}  // namespace bdelta::deflate
