#include "deflate/round_trip.hpp"

#include <algorithm>

#include "support/expect.hpp"
#include "support/generate.hpp"
#include "support/rebuild.hpp"
#include "view/deflate/block_emit.hpp"
#include "view/deflate/block_rule.hpp"

namespace bdelta::test {

using namespace bdelta::deflate;

RoundTrip round_trip(ByteSpan packed, const Parameters& hint) {
  Analyser analyser;
  const auto analysis = analyser.analyse(packed, {.hint = hint});
  EXPECT_OK(analysis);
  if (!analysis) return {};
  RecipeWriter writer;
  EXPECT_TRUE(writer.add(analysis->recipe, analysis->sizes()));
  const Bytes recipe = writer.finish();
  auto reader = RecipeReader::open(recipe);
  EXPECT_OK(reader);
  const auto read = reader->next(analysis->sizes());
  EXPECT_OK(read);
  EXPECT_OK(reader->finish());
  if (!read) return {};
  EXPECT_TRUE(*read == analysis->recipe);
  const auto made = rebuild(analyser.matchers(), *read, analysis->stream.raw(), packed.size());
  EXPECT_OK(made);
  if (!made) return {};
  EXPECT_TRUE(same_bytes(packed, *made));
  return {analysis->misses, recipe.size(), analysis->recipe.dense};
}

namespace {

class OddStream {
 public:
  OddStream(std::uint64_t seed, std::uint32_t most_tokens) : random_(seed), most_tokens_(most_tokens) {}

  Bytes make() {
    const unsigned block_count = 1 + below(12);
    for (unsigned i = 0; i < block_count; ++i) add_block(i + 1 == block_count);
    out_.align();
    return Bytes(out_.bytes().begin(), out_.bytes().end());
  }

 private:
  void add_block(bool last) {
    if (below(4) == 0) {
      const std::size_t size = below(3) == 0 ? 0 : below(std::min(3000u, most_tokens_));
      const std::size_t before = text_.size();
      for (std::size_t i = 0; i < size; ++i) text_.push_back(byte());
      emit_stored(out_, last, ByteSpan(text_).subspan(before));
      return;
    }
    const std::uint32_t sizes[] = {0, 1, 20, most_tokens_ / 7, most_tokens_};
    std::vector<Token> tokens(below(1 + sizes[below(5)]));
    for (Token& token : tokens) token = next_token();
    if (below(3) == 0) {
      EXPECT_TRUE(emit_tokens(out_, last, tokens, nullptr));
      return;
    }
    const BlockTree tree = odd_tree(tokens);
    EXPECT_TRUE(emit_tokens(out_, last, tokens, &tree));
  }

  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_.below(bound)); }

  std::uint8_t byte() { return static_cast<std::uint8_t>('a' + below(23)); }

  Token next_token() {
    if (text_.empty() || below(2) == 0) {
      text_.push_back(byte());
      return literal_token(text_.back());
    }
    const auto most = static_cast<std::uint32_t>(std::min<std::size_t>(text_.size(), kMostDistance));
    const std::uint32_t distance = 1 + below(below(2) == 0 ? most : std::min(most, 9u));
    const unsigned length = kLeastMatch + below(below(8) == 0 ? 256 : 9);
    for (unsigned i = 0; i < length; ++i) text_.push_back(text_[text_.size() - distance]);
    return match_token(length, distance);
  }

  BlockTree odd_tree(const std::vector<Token>& tokens) {
    BlockCounts counts = count_symbols(tokens);
    const unsigned oddness = below(3);
    if (oddness > 0) {
      for (unsigned i = 0; i < kUsedLiteralSymbols; ++i) counts.literals[i] += below(9) == 0 ? 1 + below(50) : 0;
      for (std::uint32_t& count : counts.distances) count += below(5) == 0 ? 1 + below(50) : 0;
    }
    BlockTree tree;
    rule_.make_tree(counts, tree, false);
    if (oddness < 2) return tree;
    // Each length on its own where a run could say it.
    const std::vector<LengthOp> ops(tree.ops.begin(), tree.ops.begin() + tree.op_count);
    tree.op_count = 0;
    unsigned at = 0;
    for (const LengthOp& op : ops) {
      const bool apart = op.symbol >= 16 && below(2) == 0;
      for (unsigned i = 0; apart && i < op.run; ++i) {
        tree.add_op(at + i < tree.literal_count ? tree.literal_bits[at + i] : tree.distance_bits[at + i - tree.literal_count], 1);
      }
      if (!apart) tree.add_op(op.symbol, op.run);
      at += op.run;
    }
    rule_.make_order(tree);
    if (below(2) == 0) tree.order_count = kOrderSymbols;
    return tree;
  }

  Random random_;
  const std::uint32_t most_tokens_;
  Bytes text_;
  BitWriter out_;
  BlockRule rule_;
};

}  // namespace

Bytes odd_stream(std::uint64_t seed, std::uint32_t most_tokens) { return OddStream(seed, most_tokens).make(); }

}  // namespace bdelta::test
