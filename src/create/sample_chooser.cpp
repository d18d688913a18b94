#include "create/sample_chooser.hpp"

#include <algorithm>
#include <utility>

#include "base/deciding/choosing.hpp"
#include "base/try.hpp"
#include "match/target_copies.hpp"

namespace bdelta {
namespace {

// Those of several groups in one.
void join_streams(std::vector<GroupDraft>& groups) {
  for (std::size_t g = 1; g < groups.size(); ++g) {
    for (std::size_t s = 0; s < kStreamCount; ++s) append(groups.front().streams[s], groups[g].streams[s]);
  }
  groups.resize(std::min<std::size_t>(groups.size(), 1));
}

GroupOutline outline_of(const ByteRanges& ranges, std::uint64_t segment_begin) {
  GroupOutline outline;
  for (const ByteRange& range : ranges) outline.push_back({segment_begin + range.begin, range.end - range.begin, false, 0});
  return outline;
}

}  // namespace

SampleChooser::SampleChooser(const BodyCoder& whole, CreateInputs& inputs, const ProgramPass* programs, SampledSets sampled)
    : coder_(whole, outline_of(sampled.ranges, inputs.segment.begin)), inputs_(inputs), programs_(programs), ranges_(sampled.ranges), seeds_(sampled.seeds),
      last_is_cheap_(sampled.last_is_cheap), sets_(std::move(sampled.sets)), count_(sets_.size()),
      pieces_before_(inputs.source_pieces), chooser_(coder_, sets_, programs) {
  for (Covers& covers : sets_) inputs.move_to_segment(covers);
}

SampleChooser::~SampleChooser() { inputs_.source_pieces = pieces_before_; }

// Bytes of the target that covers of prediction leave free, in the sample.
std::uint64_t SampleChooser::sampled_free_bytes() const {
  std::uint64_t bytes = 0;
  for (const Segment& segment : *coder_.sample()) {
    const std::uint64_t end = segment.target_pos + segment.target_length;
    bytes += segment.target_length;
    for_each_cover_in(programs_->covers(), segment.target_pos, end,
                      [&](const Cover&, std::uint64_t from, std::uint64_t to) { bytes -= to - from; });
  }
  return bytes;
}

// Of the sample, `plain`: one of the sets. The record of the prediction counts by its share of what changes.
Result<bool> SampleChooser::is_prediction_clear(std::size_t plain) {
  const std::uint64_t sampled_bytes = sampled_free_bytes();
  if (sampled_bytes == 0) return false;
  const std::uint64_t free_bytes = inputs_.target_size() - covered_bytes(programs_->covers());
  BodyDraft predicted = coder_.draft_predicted(*programs_);
  join_streams(predicted.groups);
  BDELTA_ASSIGN(std::uint64_t predicted_bytes, coder_.estimate(predicted));
  BDELTA_ASSIGN(const std::uint64_t record_bytes, coder_.plan_bytes(*programs_));
  predicted_bytes -= record_bytes - record_bytes * sampled_bytes / free_bytes;
  BDELTA_ASSIGN(const std::uint64_t bytes, coder_.estimate(chooser_.draft(plain)));
  return predicted_bytes + bytes / kSparedShare < bytes;
}

// The sets once more, with copies of NEW where these cost less; not where such copies save little. They are looked for as
// if the covers were the seeds: those of the sample say nothing of what surrounds it.
void SampleChooser::add_sets_with_target_copies() {
  const std::uint64_t history_bytes = coder_.settings().history_bytes;
  if (history_bytes == 0 || !coder_.budget().ample || programs_) return;
  const ByteSpan source = inputs_.source.bytes(), target = inputs_.target.bytes();
  WorkerPool& pool = coder_.pool();
  const ParseCosts costs;
  const TargetCopyLimits limits{history_bytes, kCopiedShare};
  const Step step(pool, PhaseId::kSelect, target.size());
  const TargetCopies all = find_target_copies({source, target, seeds_}, costs, limits, pool);
  if (all.saved_bytes < all.spent_bytes / kCopiedShare) return;
  for (std::size_t i = 0; i < count_; ++i) {
    const Covers copies = cheaper_copies({source, target, sets_[i]}, all.copies, ranges_, costs, pool);
    sets_.push_back(with_target_copies(sets_[i], copies, source.size()));
  }
  inputs_.append_target();
}

// Of the sets, or the same with copies of NEW, the best.
Result<std::size_t> SampleChooser::best_set() {
  const double begin = CostChoice::kParsed, end = CostChoice::kChosen;
  BDELTA_ASSIGN(const std::size_t best, chooser_.smallest_of(0, count_, begin, end));
  if (sets_.size() == count_) return best;
  std::optional<CodedBody> coded = chooser_.take_coded();
  BDELTA_ASSIGN(const std::size_t other, chooser_.smallest_of(count_, sets_.size(), begin, end));
  if (other == best + count_) return best;
  BDELTA_ASSIGN(const bool smaller, coder_.is_smaller(chooser_.draft(other), 0, chooser_.draft(best), coded));
  return smaller ? other : best;
}

// Of the sets from `first` on that belong together, the best by an estimate but for the set `best`. There are several.
Result<SampleChooser::NextSet> SampleChooser::next_set(std::size_t best, std::size_t first) {
  NextSet next;
  for (std::size_t alternative = first; alternative < first + count_; ++alternative) {
    if (alternative == best) continue;
    BDELTA_ASSIGN(const std::uint64_t bytes, coder_.estimate(chooser_.draft(alternative)));
    if (bytes < next.estimated_bytes) next = {alternative, bytes};
  }
  return next;
}

// Levels that have sets to choose from do, where all of the target takes no time to parse.
bool SampleChooser::takes_two() const noexcept {
  const LevelSettings& settings = coder_.settings();
  return settings.choice_bytes > 0 && coder_.segment_bytes() <= settings.choice_bytes;
}

// The best, and where two are taken another that may be as well. Cheap covers that are not clearly better make way for
// the next best.
Result<std::vector<std::size_t>> SampleChooser::best_of_all() {
  add_sets_with_target_copies();
  BDELTA_ASSIGN(const std::size_t best, best_set());
  if (count_ == 1) return std::vector<std::size_t>{0};
  const bool is_cheap = last_is_cheap_ && best % count_ == count_ - 1;
  if (!takes_two() && !is_cheap) return std::vector<std::size_t>{best % count_};
  BDELTA_ASSIGN(const NextSet next, next_set(best, best - best % count_));
  BDELTA_ASSIGN(const std::uint64_t best_bytes, coder_.estimate(chooser_.draft(best)));
  const bool is_near = next.estimated_bytes < best_bytes + best_bytes / kNearShare;
  const bool is_clear = !is_cheap || best_bytes < next.estimated_bytes / kClearDenominator * kClearNumerator;
  std::vector<std::size_t> sets;
  if (is_clear || takes_two()) sets.push_back(best % count_);
  if (!is_clear || (takes_two() && is_near)) sets.push_back(next.index % count_);
  return sets;
}

Result<std::vector<std::size_t>> SampleChooser::best_sets() {
  BDELTA_ASSIGN(std::vector<std::size_t> best, best_of_all());
  if (!programs_) return best;
  BDELTA_ASSIGN(const bool clear, is_prediction_clear(best.front()));
  if (clear) best.clear();
  return best;
}

}  // namespace bdelta
