// The lockstep code of a stream, for both directions. What it says of tokens and trees is coded beside what M and the rule
// of blocks foresee. So it can only be read while the stream is made again.
//
// A token is first: as foreseen, or not. How likely that is depends on what was foreseen: a match, a literal, a literal in
// front of a longer match. It depends on the length of the match at hand, and on whether the last three tokens were as
// foreseen, too. Then come: literal or match; the match that M passed over; a length, as the difference to that foreseen; a
// distance. The latter is the number of M's candidates that are nearer, or 15 bits where it is none of them.
//
// A tree is said symbol by symbol: the length of its code as by the rule, or another. Then how these lengths are
// written: each op as by the rule, or another. Then the code of code lengths, if it isn't by the rule either.
#pragma once

#include "base/varint.hpp"
#include "view/deflate/bit_coder.hpp"
#include "view/deflate/block_rule.hpp"
#include "view/deflate/matcher.hpp"

namespace bdelta::deflate {

template <class Coder>
class TokenModels {
 public:
  // The token at matcher.pos(), which is `token` when encoding. left: text behind pos() up to where matches end.
  // Gives 0 with `bad` if what was read can't be; a distance is checked against the text by the caller.
  Token code(Coder& coder, Matcher& matcher, std::uint64_t left, Token token, Token literal, bool& bad) {
    const Token foreseen = matcher.predict();
    const Token passed_match = is_match(foreseen) ? Token{0} : matcher.passed_match();
    const unsigned kind = is_match(foreseen) ? 0 : passed_match ? 1 : 2;
    const unsigned at_hand = is_match(foreseen) ? length_of(foreseen) : passed_match ? length_of(passed_match) : 0;
    const unsigned length_class = class_of(at_hand);
    const bool missed = coder.bit(missed_[kind][length_class][latest_missed_], token != foreseen) != 0;
    latest_missed_ = (latest_missed_ << 1 | (missed ? 1u : 0u)) & 7;
    if (!missed) return foreseen;
    if (kind == 0 && coder.bit(literal_[length_class], !is_match(token)) != 0) return literal;
    if (kind == 1 && coder.bit(passed_match_, token == passed_match) != 0) return passed_match;

    const unsigned known = kind == 2 ? 0 : 1;
    const std::uint64_t base = known ? at_hand : kLeastMatch;
    const std::uint64_t coded = length_[known].code(coder, zigzag(static_cast<std::int64_t>(length_of(token) - base)));
    const std::uint64_t length = base + static_cast<std::uint64_t>(unzigzag(coded));
    if (length < kLeastMatch || length > kMostMatch || length > left) return fail(bad);
    std::uint32_t nearer_count = Matcher::kNoCandidate;
    if constexpr (!Coder::kDecoding) nearer_count = matcher.nearer_count_of(static_cast<unsigned>(length), distance_of(token));
    if (coder.bit(candidate_[known], nearer_count != Matcher::kNoCandidate) != 0) {
      const std::uint64_t nearer_coded = nearer_[known].code(coder, nearer_count);
      const std::uint32_t distance =
          nearer_coded < kMostChain ? matcher.distance_behind(static_cast<unsigned>(length), static_cast<std::uint32_t>(nearer_coded)) : 0;
      return distance == 0 ? fail(bad) : match_token(static_cast<unsigned>(length), distance);
    }
    const std::uint64_t distance = 1 + coder.plain(15, distance_of(token) - 1);
    if (distance > matcher.pos()) return fail(bad);
    return match_token(static_cast<unsigned>(length), static_cast<std::uint32_t>(distance));
  }

  // tree: what the rule gives, and afterwards the actual one; `actual` is it when encoding. False if what was read is none.
  [[nodiscard]] bool code_tree(Coder& coder, BlockRule& rule, BlockTree& tree, const BlockTree& actual) {
    BlockTree next;
    next.literal_count = static_cast<std::uint16_t>(code_count(coder, 0, tree.literal_count, actual.literal_count, 257));
    next.distance_count = static_cast<std::uint8_t>(code_count(coder, 1, tree.distance_count, actual.distance_count, 1));
    if (next.literal_count > kUsedLiteralSymbols || next.distance_count > kDistanceSymbols) return false;
    for (unsigned i = 0; i < next.literal_count; ++i) {
      next.literal_bits[i] = code_bits(coder, tree.literal_bits[i], actual.literal_bits[i]);
    }
    for (unsigned i = 0; i < next.distance_count; ++i) {
      next.distance_bits[i] = code_bits(coder, tree.distance_bits[i], actual.distance_bits[i]);
    }
    if (!code_ops(coder, rule.joins_lists(), next, actual)) return false;
    rule.make_order(next);
    const bool other = next.order_count != actual.order_count || next.order_bits != actual.order_bits;
    if (coder.bit(other_order_, other) != 0) {
      next.order_count = static_cast<std::uint8_t>(4 + coder.plain(4, actual.order_count - 4u));
      if (next.order_count > kOrderSymbols) return false;
      next.order_bits.fill(0);
      for (unsigned i = 0; i < next.order_count; ++i) {
        const unsigned symbol = kOrderSequence[i];
        next.order_bits[symbol] = static_cast<std::uint8_t>(coder.plain(3, actual.order_bits[symbol]));
      }
    }
    tree = next;
    return true;
  }

 private:
  static Token fail(bool& bad) {
    bad = true;
    return 0;
  }
  static unsigned class_of(unsigned length) { return length < 3 ? 0 : length < 4 ? 1 : length < 8 ? 2 : length < 32 ? 3 : 4; }

  unsigned code_count(Coder& coder, unsigned which, unsigned by_rule, unsigned actual, unsigned least) {
    if (coder.bit(other_count_[which], actual != by_rule) == 0) return by_rule;
    return least + static_cast<unsigned>(coder.plain(5, actual - least));
  }

  std::uint8_t code_bits(Coder& coder, std::uint8_t by_rule, std::uint8_t actual) {
    if (coder.bit(other_bits_[last_other_], actual != by_rule) == 0) {
      last_other_ = 0;
      return by_rule;
    }
    const auto bits = static_cast<std::uint8_t>(bits_[by_rule].code(coder, actual));
    last_other_ = bits > by_rule ? 1 : 2;
    return bits;
  }

  bool code_ops(Coder& coder, bool joined, BlockTree& next, const BlockTree& actual) {
    std::array<std::uint8_t, BlockTree::kMostLengths> lengths;
    for (unsigned i = 0; i < next.literal_count; ++i) lengths[i] = next.literal_bits[i];
    for (unsigned i = 0; i < next.distance_count; ++i) lengths[next.literal_count + i] = next.distance_bits[i];
    const unsigned count = next.literal_count + next.distance_count;
    unsigned last = 0;
    for (unsigned at = 0; at < count;) {
      // The runs of most rules end where the distances begin; those of others may not.
      const unsigned begin = joined || at < next.literal_count ? 0 : next.literal_count;
      const unsigned end = !joined && at < next.literal_count ? next.literal_count : count;
      LengthOp op = length_op_by_rule({lengths.data() + begin, end - begin}, at - begin);
      LengthOp wanted = op;
      if constexpr (!Coder::kDecoding) wanted = actual.ops[next.op_count];
      const bool other = coder.bit(other_op_[last][op.symbol >= 16 ? 1 : 0], wanted != op) != 0;
      last = other ? 1 : 0;
      if (other && !code_op(coder, op, wanted, {lengths.data(), count}, at)) return false;
      next.add_op(op.symbol, op.run);
      at += op.run;
    }
    return true;
  }

  bool code_op(Coder& coder, LengthOp& op, const LengthOp& wanted, std::span<const std::uint8_t> lengths, unsigned at) {
    const unsigned kind = wanted.symbol < 16 ? 0 : wanted.symbol - 15u;
    const unsigned high = coder.bit(op_kind_[0], kind >> 1);
    const unsigned read = high << 1 | coder.bit(op_kind_[1 + high], kind & 1);
    if (read == 0) {
      op = {lengths[at], 1};
      return true;
    }
    const unsigned bits = read == 1 ? 2 : read == 2 ? 3 : 7;
    const unsigned least = read == 3 ? 11 : 3;
    const auto run = static_cast<unsigned>(least + coder.plain(bits, wanted.run - least));
    op = {static_cast<std::uint8_t>(15 + read), static_cast<std::uint8_t>(run)};
    if (run > lengths.size() - at || (read == 1 && at == 0)) return false;
    const std::uint8_t repeated = read == 1 ? lengths[at - 1] : std::uint8_t{0};
    for (unsigned i = 0; i < run; ++i) {
      if (lengths[at + i] != repeated) return false;
    }
    return true;
  }

  unsigned latest_missed_ = 0;  // whether each of the last three tokens was missed
  std::array<std::array<std::array<BitModel, 8>, 5>, 3> missed_;
  std::array<BitModel, 5> literal_;
  BitModel passed_match_;
  std::array<NumberModel, 2> length_, nearer_;
  std::array<BitModel, 2> candidate_;
  std::array<BitModel, 2> other_count_;
  std::array<BitModel, 3> other_bits_;
  std::array<NibbleModel, 16> bits_;
  unsigned last_other_ = 0;
  std::array<std::array<BitModel, 2>, 2> other_op_;
  std::array<BitModel, 3> op_kind_;
  BitModel other_order_;
};

}  // namespace bdelta::deflate
