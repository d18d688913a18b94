#include "view/deflate/describe.hpp"

#include <memory>

#include "view/deflate/block_ends.hpp"
#include "view/deflate/block_rule.hpp"
#include "view/deflate/piece_rule.hpp"
#include "view/deflate/token_models.hpp"

namespace bdelta::deflate {
namespace {

// Goes through the blocks as Rebuilder does, and notes where it would go wrong.
constexpr std::uint32_t kPaceTokens = 4096;  // between two looks at the watch

class Describer {
 public:
  Describer(MatcherSet& matchers, const Inflated& stream, const PassResult& pass, StreamRecipe& recipe, Watch* watch)
      : stream_(stream), pass_(pass), recipe_(recipe), pace_(watch, kPaceTokens), raw_bytes_(stream.raw().size()),
        rule_(recipe.parameters), piece_rule_(recipe.parameters) {
    if (!recipe_.dense) return;
    matcher_ = &matchers.begin(recipe_.parameters, raw_bytes_);
    matcher_->set_text(stream_.text.data(), 0);
    walk_ = std::make_unique<JointWalk>(*matcher_, recipe_.joints, raw_bytes_);
  }

  void run() {
    if (!recipe_.dense) recipe_.corrections = pass_.corrections;
    for (std::size_t i = 0; i < stream_.blocks.size(); ++i) {
      const Block& block = stream_.blocks[i];
      describe_block(block);
      if (block.raw_pos + block.raw_bytes == segment_end() && next_joint_ < recipe_.joints.size()) i += pass_joint(i + 1);
    }
    if (coded_) recipe_.lockstep = coder_.finish();
  }

 private:
  [[nodiscard]] std::uint64_t segment_end() const {
    return next_joint_ < recipe_.joints.size() ? recipe_.joints[next_joint_].raw_pos : raw_bytes_;
  }

  std::span<const Token> tokens_of(const Block& block) {
    cut_ = false;
    if (block.type != BlockType::kStored) {
      return {stream_.tokens.data() + block.first_token, static_cast<std::size_t>(block.token_count)};
    }
    if (block.raw_bytes == 0) return {};
    cut_ = pass_.stored_cut[stored_blocks_];
    const auto count = static_cast<std::size_t>(pass_.stored_token_count[stored_blocks_++]);
    const std::span<const Token> tokens(pass_.stored_tokens.data() + stored_tokens_, count);
    stored_tokens_ += count;
    return tokens;
  }

  // Whether the block ends where the rule ends it; full: whether it could have no more tokens.
  bool ends_by_rule(const Block& block, std::span<const Token> tokens, bool& full) const {
    const Parameters& p = recipe_.parameters;
    const std::uint64_t most = most_tokens(p);
    full = tokens.size() == most;
    if (tokens.size() > most) return false;
    if (counts_bytes(p)) return ends_by_bytes(block, tokens);
    if (gzip_looks(p)) {
      std::uint64_t raw = 0;
      std::size_t counted = 0;
      for (std::size_t count = kGzipCheckTokens; count <= tokens.size(); count += kGzipCheckTokens) {
        while (counted < count) raw += length_of(tokens[counted++]);
        if (!gzip_ends_block(p, tokens.first(count), raw)) continue;
        full = true;
        return count == tokens.size();
      }
    }
    return full || block.raw_pos + block.raw_bytes == segment_end();
  }

  // The first token that reaches so far ends it.
  bool ends_by_bytes(const Block& block, std::span<const Token> tokens) const {
    if (block.raw_bytes >= kBytesOfBlock) return block.raw_bytes - length_of(tokens.back()) < kBytesOfBlock;
    return block.raw_pos + block.raw_bytes == segment_end();
  }

  // Of a block that goes on with its trees each piece is described.
  void describe_block(const Block& block) {
    std::span<const Token> tokens = tokens_of(block);
    if (!joins_pieces(recipe_.parameters) || block.type != BlockType::kDynamic || block.last) return describe_part(block, tokens, false);
    Block piece = block;
    for (bool joined = false; !tokens.empty() || !joined; joined = true) {
      piece.raw_bytes = 0;
      std::size_t count = 0;
      while (count < tokens.size() && piece.raw_bytes < kBytesOfBlock) piece.raw_bytes += length_of(tokens[count++]);
      describe_part(piece, tokens.first(count), joined);
      piece.raw_pos += piece.raw_bytes;
      tokens = tokens.subspan(count);
    }
  }

  // A block, or a piece of one; joined: not the first.
  void describe_part(const Block& block, std::span<const Token> tokens, bool joined) {
    const BlockCounts counts = count_symbols(tokens);
    const std::uint64_t end = block.raw_pos + block.raw_bytes;
    const Token last_token = tokens.empty() ? Token{0} : tokens.back();
    const bool joins = joins_pieces(recipe_.parameters);
    const bool ends = end == segment_end();
    bool full = false;
    const bool size_by_rule = !cut_ && ends_by_rule(block, tokens, full);
    rule_.make_tree(counts, tree_, ends);
    const bool at_end = end == raw_bytes_ && next_joint_ == recipe_.joints.size();
    const bool last = at_end && knows_end(recipe_.parameters, full, tokens);
    const bool own_tree = !joined && block.type == BlockType::kDynamic && tree_ != stream_.trees[block.tree];
    bool all_by_rule = size_by_rule && last == block.last && !own_tree;
    if (all_by_rule) {  // rules are for blocks of such sizes
      const bool storable = may_store(recipe_.parameters, first_, block.raw_pos, end, last_token);
      const PieceChoice choice =
          joins ? piece_rule_.choose(counts, tree_, ends) : PieceChoice{rule_.choose_type(counts, tree_, storable)};
      all_by_rule = choice.type == block.type && choice.joined == joined;
    }
    if (joins) piece_rule_.pass({block.type, joined}, counts, block.type == BlockType::kDynamic ? stream_.trees[block.tree] : tree_, ends);
    if (!all_by_rule) {
      add_deviation(block, tokens.size(), size_by_rule, own_tree);
      recipe_.deviations.back().joined = joined;
    } else {
      ++by_rule_;
    }
    if (recipe_.dense) code_tokens(block, tokens, size_by_rule);
    if (own_tree) {
      start_coding();
      static_cast<void>(models_->code_tree(coder_, rule_, tree_, stream_.trees[block.tree]));
    }
  }

  void add_deviation(const Block& block, std::size_t token_count, bool size_by_rule, bool own_tree) {
    using Size = BlockDeviation::Size;
    BlockDeviation deviation;
    deviation.blocks_before = by_rule_;
    deviation.type = block.type;
    if (!size_by_rule) {
      const bool stored = block.type == BlockType::kStored;
      deviation.size_is = stored ? Size::kRawBytes : Size::kTokens;
      deviation.size = stored ? block.raw_bytes : token_count;
    }
    deviation.last = block.last;
    deviation.own_tree = own_tree;
    recipe_.deviations.push_back(deviation);
    by_rule_ = 0;
  }

  void start_coding() {
    if (!models_) models_ = std::make_unique<TokenModels<BitEncoder>>();
    coded_ = true;
  }

  void code_tokens(const Block& block, std::span<const Token> tokens, bool size_by_rule) {
    start_coding();
    if (block.raw_bytes == 0) return;
    walk_->pass();
    if (block.type == BlockType::kStored && !size_by_rule) {
      static_cast<void>(run_through_stored(*matcher_, stream_.text.data(), block.raw_pos + block.raw_bytes, [](Token) {}));
      return;
    }
    bool bad = false;
    for (const Token token : tokens) {
      pace_.step();
      const Token literal = literal_token(stream_.text[matcher_->pos()]);
      matcher_->commit(models_->code(coder_, *matcher_, walk_->end() - matcher_->pos(), token, literal, bad));
    }
  }

  // Gives how many of the blocks from `next` on are the joint's marker.
  std::size_t pass_joint(std::size_t next) {
    const Joint& joint = recipe_.joints[next_joint_++];
    if (joint.kind != JointKind::kContinue) first_ = known_behind(joint.kind, joint.raw_pos);
    if (joint.marker == JointMarker::kNone) return 0;
    if (joint.marker != JointMarker::kAlign) return 1;
    std::size_t count = 0;
    while (stream_.blocks[next + count].raw_bytes == 0 && !stream_.blocks[next + count].last) ++count;
    return count;
  }

  const Inflated& stream_;
  const PassResult& pass_;
  StreamRecipe& recipe_;
  Pace pace_;
  const std::uint64_t raw_bytes_;
  Matcher* matcher_ = nullptr;
  std::unique_ptr<JointWalk> walk_;
  std::unique_ptr<TokenModels<BitEncoder>> models_;
  BitEncoder coder_;
  bool coded_ = false;
  BlockRule rule_;
  PieceRule piece_rule_;
  BlockTree tree_;
  std::uint64_t by_rule_ = 0;      // blocks since the last deviation
  std::uint64_t first_ = 0;
  std::size_t next_joint_ = 0;
  std::size_t stored_blocks_ = 0;  // with text, so far
  std::size_t stored_tokens_ = 0;
  bool cut_ = false;               // the tokens of the stored block at hand are not all that M has
};

}  // namespace

void describe(MatcherSet& matchers, const Inflated& stream, const PassResult& pass, StreamRecipe& recipe, Watch* watch) {
  Describer(matchers, stream, pass, recipe, watch).run();
}

std::uint64_t dense_cost(MatcherSet& matchers, const Inflated& stream, const Parameters& parameters,
                         const std::vector<Joint>& joints, std::uint64_t raw_bytes) {
  Matcher& matcher = matchers.begin(parameters, stream.raw().size());
  matcher.set_text(stream.text.data(), 0);
  JointWalk walk(matcher, joints, stream.raw().size());
  const auto models = std::make_unique<TokenModels<BitEncoder>>();
  BitEncoder coder;
  bool bad = false;
  for (const Block& block : stream.blocks) {
    if (block.raw_bytes == 0) continue;
    if (matcher.pos() >= raw_bytes) break;
    walk.pass();
    if (block.type == BlockType::kStored) {
      static_cast<void>(run_through_stored(matcher, stream.text.data(), block.raw_pos + block.raw_bytes, [](Token) {}));
      continue;
    }
    for (std::uint64_t i = 0; i < block.token_count && matcher.pos() < raw_bytes; ++i) {
      const Token literal = literal_token(stream.text[matcher.pos()]);
      const Token token = stream.tokens[block.first_token + i];
      matcher.commit(models->code(coder, matcher, walk.end() - matcher.pos(), token, literal, bad));
    }
  }
  return coder.byte_count();
}

}  // namespace bdelta::deflate
