// What a sample of the target tells before all of it is parsed: which costs do best there, and whether prediction does so
// much better that covers without it need not be found.
#include "create/create_run.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/try.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kSampleShare = 8;  // of the target, …
constexpr std::uint64_t kMostSampleBytes = std::uint64_t{16} << 20;  // … and no more
// Of the sample, that prediction must save for other covers to be spared: of two programs with little in common a sample
// was off by up to 3.5 % of what all of it said.
constexpr std::uint64_t kSparedShare = 32;

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
  const LevelSettings& settings = budget_.settings;
  const bool is_large = settings.choice_bytes > 0 && target.size() > settings.choice_bytes;
  choice.least_changed_bytes = is_large ? 0 : settings.choice_changed_bytes;
  choice.of_one = doubts_prediction();
  choice.best_of = [&](std::vector<Covers> sets, const ByteRanges& sample) {
    auto best = best_of_sample(std::move(sets), sample);
    if (best) return std::move(*best);
    sampled = std::move(best).error();
    return std::vector<std::size_t>{0};
  };
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

// The best of all, or with slow contents, which find out late what literals cost, the best of the usual costs and that of
// those for where little changes. None where prediction is clearly better.
Result<std::vector<std::size_t>> CreateRun::best_of_sample(std::vector<Covers> sets, const ByteRanges& sample) {
  sample_.emplace();
  for (const ByteRange& range : sample) {
    sample_->push_back({segment_.begin + range.begin, range.end - range.begin, false, 0});
  }
  found_ = std::move(sets);
  for (Covers& covers : found_) move_to_segment(covers);
  std::vector<std::size_t> ways(found_.size());
  std::iota(ways.begin(), ways.end(), std::size_t{0});
  std::vector<std::size_t> others;
  if (budget_.settings.contents) {
    const std::size_t usual_count = std::min(ways.size(), budget_.settings.match.parse_params.costs.size());
    others.assign(ways.begin() + static_cast<std::ptrdiff_t>(usual_count), ways.end());
    ways.resize(usual_count);
  }
  std::vector<std::size_t> best;
  for (const auto& some : {ways, others}) {
    if (some.empty()) continue;
    BDELTA_ASSIGN(best.emplace_back(), smallest_of(some, Measure::kLight, CostChoice::kParsed, CostChoice::kChosen));
  }
  coded_.reset();
  if (doubts_prediction()) {
    BDELTA_ASSIGN(const bool clear, is_prediction_clear(best.front()));
    if (clear) best.clear();
  }
  found_.clear();
  sample_.reset();
  return best;
}

}  // namespace bdelta
