#include "view/deflate/block_codes.hpp"

#include <string>

#include "base/try.hpp"

namespace bdelta::deflate {

Error broken_stream(const char* what, std::uint64_t offset) {
  return {.code = ErrorCode::kCodecFailed, .detail = std::string("no deflate stream: ") + what, .offset = offset};
}

// Built once: what only looks like a stream is often a block with these, and of few bytes.
const BlockCodes::Tables& BlockCodes::fixed_tables() noexcept {
  static const Tables fixed = [] {
    Tables tables;
    static_cast<void>(tables.literals.build(Alphabet::kLiterals, kFixedBits.literals));
    static_cast<void>(tables.distances.build(Alphabet::kDistances, kFixedBits.distances));
    return tables;
  }();
  return fixed;
}

bool BlockCodes::build(DecodeTable& table, Alphabet alphabet, std::span<const std::uint8_t> code_bits) noexcept {
  const bool is_built = table.build(alphabet, code_bits);
  if (is_built) ++built_count_;
  return is_built;
}

Status BlockCodes::read(BitReader& bits, BlockTree& tree) {
  const auto broken = [&](const char* what) { return broken_stream(what, bits.taken_bytes()); };
  tree.literal_count = static_cast<std::uint16_t>(257 + bits.take(5));
  tree.distance_count = static_cast<std::uint8_t>(1 + bits.take(5));
  tree.order_count = static_cast<std::uint8_t>(4 + bits.take(4));
  if (tree.literal_count > kUsedLiteralSymbols || tree.distance_count > kDistanceSymbols) return broken("too many codes");
  for (unsigned i = 0; i < tree.order_count; ++i) tree.order_bits[kOrderSequence[i]] = static_cast<std::uint8_t>(bits.take(3));
  if (!own_) own_ = std::make_unique<Tables>();
  if (!build(own_->literals, Alphabet::kCodeLengths, tree.order_bits)) return broken("a code of code lengths that is not complete");
  BDELTA_TRY(read_code_bits(bits, tree));
  if (tree.literal_bits[kEndOfBlock] == 0) return broken("a block without a code for its end");
  if (!build(own_->literals, Alphabet::kLiterals, tree.literal_bits)) return broken("a code of literals that is not complete");
  if (!build(own_->distances, Alphabet::kDistances, tree.distance_bits)) return broken("a code of distances that is not complete");
  tables_ = own_.get();
  return {};
}

// own_->literals holds the code that the lengths are written in.
Status BlockCodes::read_code_bits(BitReader& bits, BlockTree& tree) {
  const auto broken = [&](const char* what) { return broken_stream(what, bits.taken_bytes()); };
  const unsigned count = tree.literal_count + tree.distance_count;
  std::uint8_t previous = 0;
  for (unsigned at = 0; at < count;) {
    bits.refill();
    unsigned taken = 0;
    const DecodeEntry entry = own_->literals.find(bits.peek(), taken);
    if (entry.kind() == DecodeEntry::kInvalid) return broken("a code that means nothing");
    bits.drop(taken);
    const unsigned symbol = entry.value();
    unsigned run = 1;
    if (symbol == 16) {
      if (at == 0) return broken("a repeated code length without one before");
      run = 3 + bits.take(2);
    } else if (symbol == 17) {
      run = 3 + bits.take(3);
    } else if (symbol == 18) {
      run = 11 + bits.take(7);
    }
    if (run > count - at) return broken("more code lengths than there are codes");
    if (symbol != 16) previous = symbol < 16 ? static_cast<std::uint8_t>(symbol) : std::uint8_t{0};
    tree.add_op(symbol, run);
    for (; run > 0; --run, ++at) {
      (at < tree.literal_count ? tree.literal_bits[at] : tree.distance_bits[at - tree.literal_count]) = previous;
    }
  }
  return {};
}

}  // namespace bdelta::deflate
