// Analysing is guessing: M goes over the first part of a stream with one set of parameters after the other, until one
// foresees every token. Most files have one encoder, so the parameters of the stream before are mostly right at once.
//
// Where none is right, the one with the fewest misses is taken, and the misses are corrections. Where these are many,
// all tokens are coded densely; then the parameters are chosen by what that costs.
#include "view/deflate/analyse.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "view/deflate/find_joints.hpp"
#include "view/deflate/guesses.hpp"
#include "view/deflate/parallel_matcher.hpp"
#include "view/deflate/recipe_writer.hpp"
#include "view/deflate/search_cost.hpp"

namespace bdelta::deflate {
namespace {

constexpr std::uint64_t kFirstTrialBytes = 64 << 10;
constexpr std::uint64_t kMostTrialBytes = 1 << 20;
constexpr std::uint64_t kFirstDenseTrialBytes = 32 << 10;
constexpr std::uint64_t kDenseTrialBytes = 384 << 10;
constexpr std::size_t kDenseTrials = 6;          // of the longer kind
constexpr std::uint64_t kLeastSharedBytes = 1 << 20;
constexpr std::uint64_t kMostSharedMisses = 4;
constexpr std::uint64_t kTokensOfTrial = 16383;  // a part of the stream with so many is gone over

class Analysing {
 public:
  Analysing(MatcherSet& matchers, const AnalyseOptions& options, Analysis& analysis)
      : matchers_(matchers), hint_(options.hint), pool_(options.pool), watch_(options.watch), analysis_(analysis), stream_(analysis.stream), recipe_(analysis.recipe) {}

  Status run() {
    recipe_.joints = find_joints(stream_);
    count_ = first_block_tokens(stream_);
    trial_bytes_ = choose_trial_bytes();
    find_parameters();
    choose_joint_kind();
    const Parameters tried = recipe_.parameters;
    if (!exact_ || count_ != 0) guess_block_end(stream_, recipe_.parameters);
    PassResult pass;
    if (!was_all_tried() || recipe_.parameters.hash_bits != tried.hash_bits) pass = go_over_all();
    if (pass.misses > 0 && exact_) pass = try_others(std::move(pass));
    const std::uint64_t most_sparse = std::min(64 + stream_.tokens.size() / 400, most_corrections(stream_.raw().size()));
    recipe_.dense = pass.corrections.size() > most_sparse;
    if (recipe_.dense && choose_dense()) pass = go_over_all();
    analysis_.misses = pass.misses;
    describe(matchers_, stream_, pass, recipe_, watch_);
    if (!same_search(last_.parameters, recipe_.parameters)) last_ = {};
    analysis_.looked_at = last_.looked_at + estimate_looked_at(matchers_, recipe_.parameters, stream_.raw(), last_.raw_bytes, watch_);
    return check_limits();
  }

 private:
  [[nodiscard]] std::uint64_t choose_trial_bytes() const {
    std::uint64_t tokens = 0;
    std::uint64_t end = 0;
    for (const Block& block : stream_.blocks) {
      end = block.raw_pos + block.raw_bytes;
      tokens += block.token_count;
      if (tokens >= kTokensOfTrial) break;
    }
    end = std::min(end, kMostTrialBytes);
    return recipe_.joints.empty() ? end : std::min(end, recipe_.joints.front().raw_pos);
  }

  // A pass over all of it would say nothing new.
  [[nodiscard]] bool was_all_tried() const {
    return exact_ && recipe_.joints.empty() && trial_bytes_ >= stream_.raw().size() &&
           std::none_of(stream_.blocks.begin(), stream_.blocks.end(),
                        [](const Block& block) { return block.type == BlockType::kStored; });
  }

  std::uint64_t misses(const Parameters& parameters, std::uint64_t raw_bytes, std::uint64_t most) {
    ++analysis_.trial_count;
    PassLimits limits;
    limits.raw_bytes = raw_bytes;
    limits.misses = most;
    limits.watch = watch_;
    Matcher& matcher = matchers_.begin(parameters, stream_.raw().size());
    const std::uint64_t before = matcher.looked_at();
    const std::uint64_t missed = pass_over(matcher, stream_, recipe_.joints, limits).misses;
    last_ = {parameters, matcher.looked_at() - before, std::min(matcher.pos(), stream_.raw().size())};
    return missed;
  }

  PassResult go_over_all() {
    PassLimits limits;
    limits.keep = true;
    limits.watch = watch_;
    if (may_share()) {
      PassLimits few = limits;
      few.misses = kMostSharedMisses;
      few.reach_bytes = ParallelMatcher::batch_bytes(*pool_);
      ParallelMatcher matcher(*pool_, recipe_.parameters, stream_.raw().size());
      matcher.begin(recipe_.parameters, 0, 0);
      PassResult pass = pass_over(matcher, stream_, recipe_.joints, few);
      if (pass.misses <= few.misses) return pass;
    }
    Matcher& matcher = matchers_.begin(recipe_.parameters, stream_.raw().size());
    const std::uint64_t before = matcher.looked_at();
    PassResult pass = pass_over(matcher, stream_, recipe_.joints, limits);
    // Of a stream that threads may share they are estimated, however many threads there are.
    if (stream_.raw().size() < kLeastSharedBytes) last_ = {recipe_.parameters, matcher.looked_at() - before, matcher.pos()};
    return pass;
  }

  // As when the stream is made again: a miss has all threads begin anew.
  [[nodiscard]] bool may_share() const {
    return pool_ && pool_->thread_count() > 1 && exact_ && stream_.raw().size() >= kLeastSharedBytes &&
           recipe_.parameters.search == Search::kLazy && recipe_.joints.empty() &&
           std::none_of(stream_.blocks.begin(), stream_.blocks.end(), [](const Block& block) { return block.type == BlockType::kStored; });
  }

  [[nodiscard]] std::vector<Parameters> guesses(std::uint8_t window_bits) const {
    return make_guesses(count_, window_bits, family_, begins_tar(stream_));
  }

  // The first that foresees all of the part that is tried, or else the one that foresees most of it.
  void find_parameters() {
    recipe_.parameters = hint_;
    std::uint64_t least = misses(hint_, trial_bytes_, ~std::uint64_t{0});
    exact_ = least == 0;
    family_ = guess_family(stream_);
    if (exact_ && (family_of(hint_) == family_ || stream_.tokens.empty())) return;
    window_bits_ = guess_window_bits(stream_);
    if (exact_) return choose_family();
    const std::uint64_t first_bytes = std::min(trial_bytes_, kFirstTrialBytes);
    if (first_bytes < trial_bytes_) least = misses(hint_, first_bytes, ~std::uint64_t{0});
    for (const Parameters& guess : guesses(window_bits_)) {
      const std::uint64_t missed = misses(guess, first_bytes, least);
      if (missed < least || (missed == 0 && least_of_all_ > 0)) {
        const std::uint64_t of_all = missed == 0 ? misses(guess, trial_bytes_, least_of_all_) : ~std::uint64_t{0};
        if (missed < least || of_all < least_of_all_) recipe_.parameters = guess;
        least = std::min(least, missed);
        least_of_all_ = std::min(least_of_all_, of_all);
      }
      exact_ = least_of_all_ == 0;
      if (exact_) return;
    }
  }

  // The hint foresees all tokens, which may be few; but the last block says that it is of another encoder.
  void choose_family() {
    for (const Parameters& guess : guesses(window_bits_)) {
      if (family_of(guess) != family_ || misses(guess, trial_bytes_, 0) != 0) continue;
      recipe_.parameters = guess;
      return;
    }
  }

  void choose_joint_kind() {
    if (recipe_.joints.empty() || recipe_.parameters.hash == Hash::kGo) return;  // Go knows one kind
    constexpr std::size_t kTried = 3;
    const std::uint64_t raw_bytes = recipe_.joints.size() > kTried ? recipe_.joints[kTried].raw_pos : stream_.raw().size();
    std::uint64_t least = ~std::uint64_t{0};
    JointKind best = JointKind::kContinue;
    for (const JointKind kind : {JointKind::kContinue, JointKind::kReset, JointKind::kClear}) {
      set_joint_kind(kind);
      const std::uint64_t missed = misses(recipe_.parameters, raw_bytes, least);
      if (missed >= least) continue;
      least = missed;
      best = kind;
    }
    set_joint_kind(best);
  }

  void set_joint_kind(JointKind kind) {
    for (Joint& joint : recipe_.joints) joint.kind = kind;
  }

  // Several settings can be right about the first part and wrong later.
  PassResult try_others(PassResult pass) {
    std::uint64_t least = pass.misses;
    Parameters best = recipe_.parameters;
    std::vector<Parameters> others = guesses(guess_window_bits(stream_));
    if (best.block_tokens == kMostBlockTokens && best.hash == Hash::kThreeBytes) {
      others.insert(others.begin(), best);
      others.front().hash_bits = best.hash_bits == 15 ? 16 : 15;
    }
    for (Parameters& other : others) {
      guess_block_end(stream_, other);
      if (other == recipe_.parameters || least == 0) continue;
      if (misses(other, trial_bytes_, 0) != 0) continue;
      const std::uint64_t missed = misses(other, ~std::uint64_t{0}, least - 1);
      if (missed >= least) continue;
      least = missed;
      best = other;
    }
    if (best == recipe_.parameters) return pass;
    recipe_.parameters = best;
    return go_over_all();
  }

  // True if the parameters are others now. All are tried on a little of the text, the best ones on more.
  bool choose_dense() {
    const Parameters before = recipe_.parameters;
    std::vector<std::pair<std::uint64_t, Parameters>> costs = {{dense_cost_of(before, kFirstDenseTrialBytes), before}};
    for (Parameters guess : guesses(before.window_bits)) {
      if (guess.search == Search::kLiterals || guess.search == Search::kRuns || guess.filtered != 0) continue;
      if (is_crc(guess.hash) && !is_crc(before.hash)) continue;  // what zlib's hash says of an unknown encoder says theirs, too
      if (!is_of_go(guess) && !joins_pieces(before)) {
        guess.block_tokens = before.block_tokens;
        guess.block_end = before.block_end;
      }
      if (guess.hash != Hash::kKnuth) guess.hash_bits = std::max<std::uint8_t>(guess.hash_bits, 15);
      costs.emplace_back(dense_cost_of(guess, kFirstDenseTrialBytes), guess);
    }
    const auto cheaper = [](const auto& a, const auto& b) { return a.first < b.first; };
    std::stable_sort(costs.begin(), costs.end(), cheaper);
    costs.resize(std::min(costs.size(), kDenseTrials));
    if (stream_.raw().size() > kFirstDenseTrialBytes) {
      for (auto& [cost, parameters] : costs) cost = dense_cost_of(parameters, kDenseTrialBytes);
    }
    recipe_.parameters = std::min_element(costs.begin(), costs.end(), cheaper)->second;
    return recipe_.parameters != before;
  }

  std::uint64_t dense_cost_of(const Parameters& parameters, std::uint64_t raw_bytes) {
    ++analysis_.trial_count;
    if (watch_) watch_->advance();
    return dense_cost(matchers_, stream_, parameters, recipe_.joints, raw_bytes);
  }

  Status check_limits() const {
    for (const BlockDeviation& deviation : recipe_.deviations) {
      if (deviation.size > kMostTokensOfBlock) {
        return Error{.code = ErrorCode::kOutputLimit, .detail = "a deflate stream has a block of more tokens than are rebuilt"};
      }
    }
    if (recipe_.joints.size() + recipe_.corrections.size() + recipe_.deviations.size() > kMostDeviations) {
      return Error{.code = ErrorCode::kOutputLimit, .detail = "a deflate stream deviates more often than is rebuilt"};
    }
    return {};
  }

  MatcherSet& matchers_;
  // Of the last pass over the stream or a part of it, where its candidates are counted.
  struct LastPass {
    Parameters parameters;
    std::uint64_t looked_at = 0;
    std::uint64_t raw_bytes = 0;
  };
  const Parameters hint_;
  WorkerPool* const pool_;
  Watch* const watch_;
  Analysis& analysis_;
  const Inflated& stream_;
  StreamRecipe& recipe_;
  std::uint64_t count_ = 0;
  std::uint64_t trial_bytes_ = 0;
  std::uint64_t least_of_all_ = ~std::uint64_t{0};
  LastPass last_;
  std::uint8_t window_bits_ = 15;
  Family family_ = Family::kZlib;  // whose levels are tried, too
  bool exact_ = false;  // the part that was tried is foreseen
};

}  // namespace

Result<Analysis> Analyser::analyse(ByteSpan packed, const AnalyseOptions& options) {
  Analysis analysis;
  BDELTA_ASSIGN(analysis.stream, inflate(packed, {.most_raw_bytes = options.most_raw_bytes, .reserve = options.reserve}));
  if (!analysis.stream.canonical) {
    return Error{.code = ErrorCode::kFormatCannotHold, .detail = "a deflate stream such as no encoder makes"};
  }
  BDELTA_TRY(Analysing(matchers_, options, analysis).run());
  return analysis;
}

std::uint64_t recipe_cost_bytes(const StreamRecipe& recipe, const StreamSizes& sizes) {
  RecipeWriter writer;
  if (!writer.add(recipe, sizes)) return ~std::uint64_t{0};
  return writer.finish().size();
}

}  // namespace bdelta::deflate
