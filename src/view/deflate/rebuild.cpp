// A stream is made block by block. An open block collects tokens until the rule, its deviation or a joint ends it. Then
// its type and trees follow from the tokens, or stand in the recipe, and it is written.
//
// M runs as far as the text has come in, but for the bytes that it may look ahead; so it never sees where one piece ends.
// Behind M lie 128 KiB of text: its window, and what a stored block holds.
#include "view/deflate/rebuild.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "view/deflate/block_emit.hpp"
#include "view/deflate/block_ends.hpp"
#include "view/deflate/block_rule.hpp"
#include "view/deflate/inflate.hpp"
#include "view/deflate/lending_matcher.hpp"
#include "view/deflate/parallel_matcher.hpp"
#include "view/deflate/piece_rule.hpp"
#include "view/deflate/token_models.hpp"

namespace bdelta::deflate {
namespace {

constexpr std::uint64_t kTextBehind = 128 << 10;
constexpr std::uint64_t kTextCapacity = 384 << 10;
constexpr std::uint64_t kLeastSharedBytes = 1 << 20;
constexpr std::uint64_t kBytesOfCorrection = 4 << 20;  // so many for each that several threads stand
constexpr std::size_t kSinkBytes = 32 << 10;  // from so many on the sink gets them

Error unfit(const char* what) { return {.code = ErrorCode::kPatchCorrupt, .detail = what}; }

}  // namespace

class Rebuilder::Work {
 public:
  Work(MatcherSet& matchers, const StreamRecipe& recipe, const StreamSizes& sizes, Sink sink, WorkerPool* pool, const StreamLender* lender)
      : parallel_(can_share(recipe, sizes, pool) ? std::make_unique<ParallelMatcher>(*pool, recipe.parameters, sizes.raw_bytes) : nullptr),
        own_matcher_(parallel_ ? *parallel_ : matchers.begin(recipe.parameters, sizes.raw_bytes)),
        lending_(lender && recipe.lends && may_lend(recipe, sizes.raw_bytes)
                     ? std::make_unique<LendingMatcher>(own_matcher_, recipe.parameters, sizes.raw_bytes, *lender)
                     : nullptr),
        matcher_(lending_ ? *lending_ : own_matcher_), recipe_(recipe), sizes_(sizes),
        sink_(std::move(sink)), lockstep_(recipe.lockstep), rule_(recipe.parameters), piece_rule_(recipe.parameters) {
    ahead_bytes_ = parallel_ ? ParallelMatcher::batch_bytes(*pool) / 2 : 0;
    const std::uint64_t capacity = kTextCapacity + 2 * ahead_bytes_;
    text_.resize(static_cast<std::size_t>(std::min(capacity, sizes.raw_bytes)) + kTextPadding);
    if (parallel_ && capacity < sizes.raw_bytes) other_text_.resize(text_.size());
    if (recipe.needs_lockstep()) models_ = std::make_unique<TokenModels<BitDecoder>>();
    set_segment();
  }

  void add_copy(const TextCopy& copy) {
    if (lending_) lending_->add(copy);
  }

  Status write(ByteSpan raw) {
    if (raw.size() > sizes_.raw_bytes - available_) return unfit("more text than the deflate stream has");
    while (!raw.empty()) {
      if (done_) return unfit("the recipe of a deflate stream ends before its text");
      if (room() == 0) drop_text();
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(room(), raw.size()));
      std::copy_n(raw.begin(), count, text_.begin() + static_cast<std::ptrdiff_t>(available_ - text_pos_));
      available_ += count;
      raw = raw.subspan(count);
      if (room() == 0) BDELTA_TRY(advance());
    }
    return {};
  }

  Status finish() {
    if (available_ != sizes_.raw_bytes) return unfit("less text than the deflate stream has");
    BDELTA_TRY(advance());
    if (!done_) return unfit("the recipe of a deflate stream has no end");
    if (matcher_.pos() != sizes_.raw_bytes || next_joint_ != recipe_.joints.size() ||
        next_correction_ != recipe_.corrections.size() || next_deviation_ != recipe_.deviations.size() ||
        (models_ && !lockstep_.all_taken())) {
      return unfit("the recipe of a deflate stream goes on behind its end");
    }
    out_.align();
    BDELTA_TRY(flush(0));
    if (given_bytes_ != sizes_.packed_bytes) return unfit("a deflate stream did not come out with its size");
    return {};
  }

 private:
  // Where positions are all remembered, and M is seldom corrected.
  [[nodiscard]] static bool can_share(const StreamRecipe& recipe, const StreamSizes& sizes, const WorkerPool* pool) {
    if (!pool || pool->thread_count() < 2 || sizes.raw_bytes < kLeastSharedBytes || recipe.dense) return false;
    if (recipe.parameters.search != Search::kLazy || !recipe.joints.empty()) return false;
    return recipe.corrections.size() <= 2 + sizes.raw_bytes / kBytesOfCorrection &&
           std::none_of(recipe.deviations.begin(), recipe.deviations.end(), [](const BlockDeviation& deviation) {
             return deviation.size_is == BlockDeviation::Size::kRawBytes && deviation.size != 0;
           });
  }

  [[nodiscard]] std::uint64_t room() const { return text_.size() - kTextPadding - (available_ - text_pos_); }

  void drop_text() {
    const std::uint64_t keep = matcher_.pos() > kTextBehind ? matcher_.pos() - kTextBehind : 0;
    if (keep <= text_pos_) return;
    const auto drop = static_cast<std::ptrdiff_t>(keep - text_pos_);
    Bytes& to = parallel_ ? other_text_ : text_;
    if (parallel_) parallel_->release(to.data());
    std::copy(text_.begin() + drop, text_.end(), to.begin());
    if (parallel_) text_.swap(other_text_);
    text_pos_ = keep;
  }

  [[nodiscard]] const std::uint8_t* text_at(std::uint64_t pos) const { return text_.data() + (pos - text_pos_); }

  Status advance() {
    matcher_.set_text(text_.data(), text_pos_);
    matcher_.set_reach(reach());
    while (!done_) {
      if (!open_) open_block();
      BDELTA_ASSIGN(const bool complete, fill_block());
      if (!complete) return {};
      BDELTA_TRY(close_block());
      BDELTA_TRY(flush(kSinkBytes));
    }
    return {};
  }

  void open_block() {
    open_ = true;
    full_ = false;
    begin_ = matcher_.pos();
    tokens_.clear();
    deviation_ = nullptr;
    if (next_deviation_ < recipe_.deviations.size() && recipe_.deviations[next_deviation_].blocks_before == blocks_by_rule_) {
      deviation_ = &recipe_.deviations[next_deviation_++];
      blocks_by_rule_ = 0;
    } else {
      ++blocks_by_rule_;
    }
    gzip_looks_ = gzip_looks(recipe_.parameters) && size_is() == BlockDeviation::Size::kByRule;
  }

  [[nodiscard]] BlockDeviation::Size size_is() const {
    return deviation_ ? deviation_->size_is : BlockDeviation::Size::kByRule;
  }

  // Up to where blocks are filled now; behind it threads may be ahead.
  [[nodiscard]] std::uint64_t fill_end() const {
    const std::uint64_t end = reach();
    return end == segment_end_ ? end : end - std::min(end, ahead_bytes_);
  }

  // Up to where M can run now.
  [[nodiscard]] std::uint64_t reach() const {
    if (available_ >= std::min(segment_end_ + kTextPadding, sizes_.raw_bytes)) return segment_end_;
    const std::uint64_t lookahead = lookahead_bytes(recipe_.parameters);
    return available_ > lookahead ? available_ - lookahead : 0;
  }

  // False if there has to be more text first.
  Result<bool> fill_block() {
    if (size_is() == BlockDeviation::Size::kRawBytes) return fill_stored();
    const bool by_rule = size_is() == BlockDeviation::Size::kByRule;
    const std::uint64_t wanted = by_rule ? most_tokens(recipe_.parameters) : deviation_->size;
    const bool by_bytes = by_rule && counts_bytes(recipe_.parameters);
    const std::uint64_t end = by_bytes ? std::min(segment_end_, begin_ + kBytesOfBlock) : segment_end_;
    while (tokens_.size() < wanted && matcher_.pos() < end && !full_) {
      if (matcher_.pos() >= fill_end()) return false;
      if (recipe_.dense) {
        BDELTA_TRY(read_token());
      } else if (at_correction()) {
        BDELTA_TRY(correct_token());
      } else {
        run_matcher(wanted, end);
      }
      if (gzip_looks_ && tokens_.size() % kGzipCheckTokens == 0) {
        full_ = gzip_ends_block(recipe_.parameters, tokens_, matcher_.pos() - begin_);
      }
    }
    if (by_rule && tokens_.size() == wanted) full_ = true;
    if (!by_rule && tokens_.size() != wanted) return unfit("a block of a deflate stream ends before its tokens do");
    return true;
  }

  void run_matcher(std::uint64_t wanted, std::uint64_t end) {
    std::uint64_t most = wanted - tokens_.size();
    if (gzip_looks_) most = std::min<std::uint64_t>(most, kGzipCheckTokens - tokens_.size() % kGzipCheckTokens);
    const std::uint64_t stop = std::min({fill_end(), next_correction_pos(), end});
    most = std::min(most, stop - matcher_.pos());  // tokens have a byte at least
    const std::size_t before = tokens_.size();
    tokens_.resize(before + static_cast<std::size_t>(most));
    tokens_.resize(before + matcher_.run(tokens_.data() + before, static_cast<std::size_t>(most), stop));
  }

  [[nodiscard]] std::uint64_t next_correction_pos() const {
    return next_correction_ < recipe_.corrections.size() ? recipe_.corrections[next_correction_].raw_pos : sizes_.raw_bytes;
  }
  [[nodiscard]] bool at_correction() const {
    return next_correction_ < recipe_.corrections.size() && next_correction_pos() <= matcher_.pos();
  }

  Status correct_token() {
    const Correction& correction = recipe_.corrections[next_correction_++];
    if (correction.raw_pos != matcher_.pos()) return unfit("a correction of a deflate stream lies inside of a match");
    static_cast<void>(matcher_.predict());
    return commit(is_match(correction.token) ? correction.token : literal_token(*text_at(matcher_.pos())));
  }

  Status read_token() {
    bool bad = false;
    const std::uint64_t left = segment_end_ - matcher_.pos();
    const Token token = models_->code(lockstep_, matcher_, left, 0, literal_token(*text_at(matcher_.pos())), bad);
    if (bad) return unfit("a token of a deflate stream can't be");
    return commit(token);
  }

  // A match that the recipe says: it has to be one.
  Status commit(Token token) {
    const std::uint64_t pos = matcher_.pos();
    if (is_match(token)) {
      const std::uint64_t length = length_of(token);
      const std::uint64_t distance = distance_of(token);
      if (length > segment_end_ - pos || distance > pos ||
          count_equal(text_at(pos), text_at(pos - distance), static_cast<std::size_t>(length)) != length) {
        return unfit("a match of a deflate stream is none");
      }
    }
    matcher_.commit(token);
    tokens_.push_back(token);
    return {};
  }

  // M runs through the text of a stored block; what it makes of it isn't needed.
  Result<bool> fill_stored() {
    if (deviation_->size > segment_end_ - begin_) return unfit("a stored block of a deflate stream is too long");
    const std::uint64_t end = begin_ + deviation_->size;
    while (matcher_.pos() < end) {
      if (matcher_.pos() >= reach()) return false;
      if (at_correction()) return unfit("a correction of a deflate stream lies in a stored block");
      Token token = matcher_.predict();
      if (length_of(token) > end - matcher_.pos()) token = literal_token(*text_at(matcher_.pos()));
      matcher_.commit(token);
    }
    return true;
  }

  Status close_block() {
    open_ = false;
    const std::uint64_t end = matcher_.pos();
    const Token last_token = tokens_.empty() ? Token{0} : tokens_.back();
    const bool joins = joins_pieces(recipe_.parameters);
    const bool ends = end == segment_end_;
    PieceChoice choice{BlockType::kDynamic};
    if (deviation_) choice = {deviation_->type, deviation_->joined};
    BlockCounts counts;
    if (joins || choice.type == BlockType::kDynamic) {
      counts = count_symbols(tokens_);
      rule_.make_tree(counts, tree_, ends);
      if (!deviation_) {
        const bool storable = may_store(recipe_.parameters, first_, begin_, end, last_token);
        choice = joins ? piece_rule_.choose(counts, tree_, ends) : PieceChoice{rule_.choose_type(counts, tree_, storable)};
      } else if (deviation_->own_tree && !models_->code_tree(lockstep_, rule_, tree_, tree_)) {
        return unfit("a tree of a deflate stream can't be");
      }
    }
    const bool at_end = end == sizes_.raw_bytes && next_joint_ == recipe_.joints.size();
    const bool last = deviation_ ? deviation_->last : at_end && knows_end(recipe_.parameters, full_, tokens_);
    BDELTA_TRY(joins ? emit_piece(choice, last, end) : emit(choice.type, last, end));
    if (joins) piece_rule_.pass(choice, counts, tree_, ends);
    if (out_.bit_count() > 8 * sizes_.packed_bytes + 7) return unfit("a deflate stream did not come out with its size");
    done_ = last;
    if (!last && end == segment_end_ && next_joint_ < recipe_.joints.size()) pass_joint();
    return {};
  }

  Status emit(BlockType type, bool last, std::uint64_t end) {
    if (type == BlockType::kStored) {
      if (end - begin_ > kMostStoredBytes) return unfit("a stored block of a deflate stream is too long");
      emit_stored(out_, last, {text_at(begin_), static_cast<std::size_t>(end - begin_)});
    } else if (!emit_tokens(out_, last, tokens_, type == BlockType::kDynamic ? &tree_ : nullptr, {.fits = !deviation_})) {
      return unfit("a tree of a deflate stream has no code for a token");
    }
    return {};
  }

  // The end of a block is written in front of the next one, as the piece behind it may join it, or where the segment ends.
  Status emit_piece(PieceChoice choice, bool last, std::uint64_t end) {
    const BlockTree* const open = piece_rule_.open_tree();
    if (choice.joined && !open) return unfit("a piece of a deflate stream joins none");
    if (!choice.joined && open) static_cast<void>(emit_tokens(out_, false, {}, open, {.head = false}));
    if (choice.type != BlockType::kDynamic) return emit(choice.type, last, end);
    const BlockParts parts{.head = !choice.joined, .end = last || end == segment_end_};
    if (!emit_tokens(out_, last, tokens_, choice.joined ? open : &tree_, parts)) {
      return unfit("a tree of a deflate stream has no code for a token");
    }
    return {};
  }

  void pass_joint() {
    const Joint& joint = recipe_.joints[next_joint_++];
    const bool odd = out_.bit_count() % 2 != 0;
    if (joint.marker == JointMarker::kStored || (joint.marker == JointMarker::kAlign && odd)) emit_stored(out_, false, {});
    if (joint.marker == JointMarker::kFixed) emit_empty_fixed();
    if (joint.marker == JointMarker::kAlign && !odd) {
      while (out_.bit_count() % 8 != 0) emit_empty_fixed();
    }
    matcher_.join(joint.kind);
    if (joint.kind != JointKind::kContinue) first_ = known_behind(joint.kind, joint.raw_pos);
    set_segment();
  }

  void emit_empty_fixed() {
    out_.put(static_cast<unsigned>(BlockType::kFixed) << 1, 3);
    out_.put(0, 7);  // its end
  }

  void set_segment() {
    segment_end_ = next_joint_ < recipe_.joints.size() ? recipe_.joints[next_joint_].raw_pos : sizes_.raw_bytes;
    matcher_.set_end(segment_end_);
  }

  Status flush(std::size_t least) {
    if (out_.bytes().size() < least || out_.bytes().empty()) return {};
    given_bytes_ += out_.bytes().size();
    BDELTA_TRY(sink_(out_.bytes()));
    out_.clear();
    return {};
  }

  const std::unique_ptr<ParallelMatcher> parallel_;  // or null
  Matcher& own_matcher_;
  const std::unique_ptr<LendingMatcher> lending_;    // or null
  Matcher& matcher_;
  const StreamRecipe& recipe_;
  const StreamSizes sizes_;
  const Sink sink_;
  BitDecoder lockstep_;
  std::unique_ptr<TokenModels<BitDecoder>> models_;

  Bytes text_;                    // from text_pos_ to available_, and padding
  Bytes other_text_;              // where it goes next, while threads read what is there; none without threads
  std::uint64_t ahead_bytes_ = 0; // that threads may be ahead
  std::uint64_t text_pos_ = 0;
  std::uint64_t available_ = 0;
  std::uint64_t first_ = 0;       // where the text begins that M knows of
  std::uint64_t segment_end_ = 0; // the next joint, or the end
  std::size_t next_joint_ = 0;
  std::size_t next_correction_ = 0;
  std::size_t next_deviation_ = 0;
  std::uint64_t blocks_by_rule_ = 0;  // since the last deviation

  bool open_ = false;             // a block is
  bool full_ = false;             // it has all tokens that the rule allows it
  bool gzip_looks_ = false;
  const BlockDeviation* deviation_ = nullptr;  // of the open block; null: all is by rule
  std::uint64_t begin_ = 0;
  std::vector<Token> tokens_;
  BlockRule rule_;
  PieceRule piece_rule_;
  BlockTree tree_;

  BitWriter out_;
  std::uint64_t given_bytes_ = 0;
  bool done_ = false;             // the last block has been written
};

Rebuilder::Rebuilder(MatcherSet& matchers, const StreamRecipe& recipe, const StreamSizes& sizes, Sink sink, WorkerPool* pool,
                     const StreamLender* lender)
    : work_(std::make_unique<Work>(matchers, recipe, sizes, std::move(sink), pool, lender)) {}
Rebuilder::~Rebuilder() = default;

void Rebuilder::add_copy(const TextCopy& copy) { work_->add_copy(copy); }
Status Rebuilder::write(ByteSpan raw) { return work_->write(raw); }
Status Rebuilder::finish() { return work_->finish(); }

}  // namespace bdelta::deflate
