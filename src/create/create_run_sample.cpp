// What a sample of the target tells before all of it is parsed: which costs do best there, and whether prediction does so
// much better that covers without it need not be found.
#include "create/create_run.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/try.hpp"
#include "create/cover_price.hpp"
#include "match/target_copies.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kSampleShare = 8;  // of the target, …
constexpr std::uint64_t kMostSampleBytes = std::uint64_t{16} << 20;  // … and no more
// Of the sample, that prediction must save for other covers to be spared: of two programs with little in common a sample
// was off by up to 3.5 % of what all of it said.
constexpr std::uint64_t kSparedShare = 32;
constexpr std::uint64_t kCopiedShare = 8;  // of what NEW costs, that copies of itself must save to count in the sample
constexpr std::uint64_t kNearShare = 128;  // sets that differ by less than 1/share in the sample may do so the other way round
// A sample flatters cheap covers: of a pair whose sample such a set made 17 % smaller, it made the whole 18 % larger. Where
// it did well, it made the sample smaller by 36 % or more.
constexpr std::uint64_t kClearNumerator = 3;
constexpr std::uint64_t kClearDenominator = 4;

// Those of several groups in one.
void join_streams(std::vector<GroupDraft>& groups) {
  for (std::size_t g = 1; g < groups.size(); ++g) {
    for (std::size_t s = 0; s < kStreamCount; ++s) append(groups.front().streams[s], groups[g].streams[s]);
  }
  groups.resize(std::min<std::size_t>(groups.size(), 1));
}

}  // namespace

// Small targets where little changes are parsed with all costs there are, others with those that do best in a sample.
Status CreateRun::find_in_source(ByteSpan target, const Diagonals& diagonals) {
  Status sampled;
  CostChoice choice;
  choice.sample_bytes = std::min(target.size() / kSampleShare, kMostSampleBytes);
  choice.least_changed_bytes = is_large_segment() ? 0 : budget_.settings.choice_changed_bytes;
  choice.of_one = doubts_prediction();
  bool has_cheap_set = false;  // asked before the sample is parsed, and then the last of the sets
  choice.best_of = [&](std::vector<Covers> sets, const ByteRanges& sample, const Covers& seeds) {
    auto best = best_of_sample({std::move(sets), sample, seeds, has_cheap_set});
    if (best) return std::move(*best);
    sampled = std::move(best).error();
    return std::vector<std::size_t>{0};
  };
  if (budget_.ample) {
    choice.are_cheap = [&](const Covers& seeds, const ParseCosts& costs) {
      const auto cheap = are_cheap_covers(seeds, costs, &watch_);
      if (!cheap) sampled = cheap.error();
      has_cheap_set = cheap && *cheap;
      return has_cheap_set;
    };
  }
  found_ = matcher_->find(target, diagonals, writer_ ? &choice : nullptr);
  return sampled;
}

// What of the target's changes is in the sample, as bytes that covers of prediction leave free: those, and all.
CreateRun::Part CreateRun::sampled_part() const {
  Part part;
  std::uint64_t pos = 0;
  auto range = sample_->begin();
  const auto leave_free = [&](std::uint64_t end) {
    part.all_bytes += end - pos;
    while (range != sample_->end() && range->target_pos + range->target_length <= pos) ++range;
    for (auto in = range; in != sample_->end() && in->target_pos < end; ++in) {
      part.bytes += std::min(end, in->target_pos + in->target_length) - std::max(pos, in->target_pos);
    }
  };
  for (const Cover& cover : programs_->plan().covers) {
    leave_free(cover.target_pos);
    pos = cover.target_end();
  }
  leave_free(target_reader_.size());
  return part;
}

// Of the sample, `plain`: one of found_. The record of the prediction counts by its share.
Result<bool> CreateRun::is_prediction_clear(std::size_t plain) {
  if (budget_.settings.contents) return false;  // these see more in both than an estimate does
  const Part part = sampled_part();
  if (part.bytes == 0) return false;
  BodyDraft predicted = draft_predicted_body();
  join_streams(predicted.groups);
  BDELTA_ASSIGN(std::uint64_t predicted_bytes, estimate_body(predicted));
  BDELTA_ASSIGN(const std::uint64_t record_bytes, plan_bytes());
  predicted_bytes -= record_bytes - record_bytes * part.bytes / part.all_bytes;
  BDELTA_ASSIGN(const std::uint64_t bytes, estimate_body(draft_way(plain)));
  return predicted_bytes + bytes / kSparedShare < bytes;
}

// The sets of the sample once more, with copies of NEW where these cost less; not where such copies save little. They are
// looked for as if the covers were `seeds`: those of the sample say nothing of what surrounds it.
void CreateRun::add_sets_with_target_copies(const Covers& seeds, const ByteRanges& sample) {
  if (budget_.settings.history_bytes == 0 || !budget_.ample || programs_) return;
  const ByteSpan source = source_.bytes(), target = target_.bytes();
  const ParseCosts costs;
  const TargetCopyLimits limits{budget_.settings.history_bytes, kCopiedShare};
  const Span step(&timeline_, PhaseId::kSelect, TraceSpan::kNone, target.size());
  const TargetCopies all = bdelta::find_target_copies({source, target, seeds}, costs, limits, *pool_);
  if (all.saved_bytes < all.spent_bytes / kCopiedShare) return;
  const std::size_t count = found_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Covers copies = cheaper_copies({source, target, found_[i]}, all.copies, sample, costs, *pool_);
    found_.push_back(with_target_copies(found_[i], copies, source.size()));
  }
  append_target();
}

// Of the first `count` sets of the sample, or the same with copies of NEW behind these, the best: an index into found_.
Result<std::size_t> CreateRun::best_set(std::size_t count) {
  std::vector<std::size_t> ways(count);
  std::iota(ways.begin(), ways.end(), std::size_t{0});
  BDELTA_ASSIGN(const std::size_t best, smallest_of(ways, Measure::kLight, CostChoice::kParsed, CostChoice::kChosen));
  if (found_.size() == count) return best;
  std::optional<CodedBody> coded = std::exchange(coded_, {});
  std::iota(ways.begin(), ways.end(), count);
  BDELTA_ASSIGN(const std::size_t other, smallest_of(ways, Measure::kLight, CostChoice::kParsed, CostChoice::kChosen));
  if (other == best + count) return best;
  coded_ = std::move(coded);
  BDELTA_ASSIGN(const bool smaller, is_smaller(draft_way(other), 0, draft_way(best), Measure::kLight));
  return smaller ? other : best;
}

// Of the `count` sets from `first` on, the best by an estimate but for the set `best`; count > 1.
Result<CreateRun::Way> CreateRun::next_set(std::size_t best, std::size_t first, std::size_t count) {
  Way next;
  next.estimated_bytes = ~std::uint64_t{0};
  for (std::size_t way = first; way < first + count; ++way) {
    if (way == best) continue;
    BDELTA_ASSIGN(const std::uint64_t bytes, estimate_body(draft_way(way)));
    if (bytes >= next.estimated_bytes) continue;
    next.estimated_bytes = bytes;
    next.index = way;
  }
  return next;
}

// The best, and where all of the target takes no time to parse, another that may be as well; but levels that have no sets
// to choose from take one. Cheap covers that are not clearly better make way for the next best.
Result<std::vector<std::size_t>> CreateRun::best_sets(const SampledSets& sampled) {
  const std::size_t count = found_.size();
  add_sets_with_target_copies(sampled.seeds, sampled.ranges);
  BDELTA_ASSIGN(const std::size_t best, best_set(count));
  if (count == 1) return std::vector<std::size_t>{0};
  const bool takes_two = !is_large_segment() && budget_.settings.choice_bytes > 0;
  const bool is_cheap = sampled.last_is_cheap && best % count == count - 1;
  if (!takes_two && !is_cheap) return std::vector<std::size_t>{best % count};
  BDELTA_ASSIGN(const Way next, next_set(best, best - best % count, count));
  BDELTA_ASSIGN(const std::uint64_t best_bytes, estimate_body(draft_way(best)));
  const bool is_near = next.estimated_bytes < best_bytes + best_bytes / kNearShare;
  const bool is_clear = !is_cheap || best_bytes < next.estimated_bytes / kClearDenominator * kClearNumerator;
  std::vector<std::size_t> sets;
  if (is_clear || takes_two) sets.push_back(best % count);
  if (!is_clear || (takes_two && is_near)) sets.push_back(next.index % count);
  return sets;
}

// With slow contents, which find out late what literals cost: the best of the usual costs, and that of those for where
// little changes. Also what does best with copies of NEW, which take the place of contents.
Result<std::vector<std::size_t>> CreateRun::best_sets_for_contents(const SampledSets& sampled) {
  const std::size_t count = found_.size();
  add_sets_with_target_copies(sampled.seeds, sampled.ranges);
  const std::size_t usual_count = std::min(count, budget_.settings.match.parse_params.costs.size());
  std::vector<std::size_t> best;
  for (const auto& [begin, end] : {std::pair(std::size_t{0}, usual_count), {usual_count, count}, {count, found_.size()}}) {
    if (begin == end) continue;
    std::vector<std::size_t> some(end - begin);
    std::iota(some.begin(), some.end(), begin);
    BDELTA_ASSIGN(const std::size_t way, smallest_of(some, Measure::kLight, CostChoice::kParsed, CostChoice::kChosen));
    if (std::find(best.begin(), best.end(), way % count) == best.end()) best.push_back(way % count);
  }
  return best;
}

// None where prediction is clearly better.
Result<std::vector<std::size_t>> CreateRun::best_of_sample(SampledSets sampled) {
  sample_.emplace();
  for (const ByteRange& range : sampled.ranges) {
    sample_->push_back({segment_.begin + range.begin, range.end - range.begin, false, 0});
  }
  found_ = std::move(sampled.sets);
  for (Covers& covers : found_) move_to_segment(covers);
  const FilePieces pieces_before = source_pieces_;
  BDELTA_ASSIGN(std::vector<std::size_t> best,
                budget_.settings.contents ? best_sets_for_contents(sampled) : best_sets(sampled));
  coded_.reset();
  if (doubts_prediction()) {
    BDELTA_ASSIGN(const bool clear, is_prediction_clear(best.front()));
    if (clear) best.clear();
  }
  source_pieces_ = pieces_before;
  found_.clear();
  sample_.reset();
  return best;
}

}  // namespace bdelta
