// Which covers go into the patch, and what is made of them.
#include "create/create_run.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/try.hpp"
#include "create/cover_price.hpp"
#include "create/refinement.hpp"
#include "create/sample_chooser.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kSampleShare = 8;  // of the target, …
constexpr std::uint64_t kMostSampleBytes = std::uint64_t{16} << 20;  // … and no more
// Where covers leave so many bytes to be changed a sample chooses of the costs, and tells whether doubt about prediction is due.
constexpr std::uint64_t kSampledChangedBytes = std::uint64_t{256} << 10;

}  // namespace

const ProgramPass* CreateRun::doubted_programs() const noexcept {
  const ProgramPass* const programs = chosen_.programs.get();
  return programs && programs->in_doubt() && !compares_prediction_ ? programs : nullptr;
}

// Small targets where little changes are parsed with all costs there are, others with those that do best in a sample.
Status CreateRun::find_in_source(ByteSpan target, const Diagonals& diagonals) {
  if (!coder_) {
    found_ = matcher_->find(target, diagonals);
    return {};
  }
  const LevelSettings& settings = budget_.settings;
  Status sampled;
  CostChoice choice;
  choice.sample_bytes = std::min(target.size() / kSampleShare, kMostSampleBytes);
  const bool is_large = settings.choice_bytes > 0 && target.size() > settings.choice_bytes;
  choice.least_changed_bytes = is_large ? 0 : kSampledChangedBytes;
  choice.of_one = doubted_programs() != nullptr;
  bool has_cheap_set = false;  // asked before the sample is parsed, and then the last of the sets
  choice.best_of = [&](std::vector<Covers> sets, const ByteRanges& ranges, const Covers& seeds) {
    SampleChooser chooser(*coder_, inputs_, doubted_programs(), {std::move(sets), ranges, seeds, has_cheap_set});
    auto best = chooser.best_sets();
    if (best) return std::move(*best);
    sampled = std::move(best).error();
    return std::vector<std::size_t>{0};
  };
  choice.found_so_far = [&](const CoverChanges& changes, bool searches) {
    work_->set_seeds(changes.free_bytes, changes.changed_bytes() - changes.free_bytes);
    begin_step(searches ? WorkStep::kSearch : WorkStep::kParse, WorkStep::kParse);
  };
  if (budget_.ample) {
    choice.are_cheap = [&](const Covers& seeds, const ParseCosts& costs) {
      const auto cheap = are_cheap_covers(seeds, costs, &watch_);
      if (!cheap) sampled = cheap.error();
      has_cheap_set = cheap && *cheap;
      return has_cheap_set;
    };
  }
  found_ = matcher_->find(target, diagonals, &choice);
  return sampled;
}

Status CreateRun::choose_covers() {
  const ProgramPass* const doubted = found_.empty() ? nullptr : doubted_programs();
  std::vector<std::size_t> ways(found_.size() + (doubted ? 1 : 0));
  std::iota(ways.begin(), ways.end(), std::size_t{0});
  std::size_t best = 0;  // where no plain covers were looked for, prediction: it has done clearly better in a sample
  if (ways.size() > 1 && coder_) {
    WayChooser chooser(*coder_, found_, doubted);
    BDELTA_ASSIGN(best, chooser.smallest_of(ways, 0, 1));
    // Groups of two segments may be joined.
    if (inputs_.segment.begin == 0 && inputs_.segment.end == target_size()) chosen_.coded = chooser.take_coded();
  }
  if (doubted && best < found_.size()) chosen_.programs.reset();
  chosen_.covers = best < found_.size() ? std::move(found_[best]) : chosen_.programs->covers();
  found_.clear();
  work_->set_predicts(chosen_.programs != nullptr);
  work_->set_covers(inputs_.segment.end - inputs_.segment.begin - covered_bytes(chosen_.covers), chosen_.covers.size());
  if (chosen_.coded) work_->set_streams({});
  return {};
}

Status CreateRun::find_words() {
  if (!sees_whole_files()) return {};
  begin_step(WorkStep::kRefine);
  return Refinement(*coder_, inputs_, chosen_).find_words();
}

Status CreateRun::find_target_copies() {
  if (!sees_whole_files() || budget_.settings.history_bytes == 0) return {};
  return Refinement(*coder_, inputs_, chosen_).find_target_copies();
}

Result<std::uint64_t> CreateRun::chosen_bytes() {
  BDELTA_TRY(coder_->code(chosen_));
  return chosen_.coded->bytes + (chosen_.words ? chosen_.words->record.size() : 0);
}

// Everything once more without prediction, and the smaller one is kept.
Status CreateRun::compare_prediction() {
  if (!compares_prediction_) return {};
  BDELTA_ASSIGN(const std::uint64_t predicted_bytes, chosen_bytes());
  Chosen predicted = std::exchange(chosen_, {});
  const FilePieces predicted_pieces = inputs_.source_pieces;
  BDELTA_TRY(find_covers());
  BDELTA_TRY(choose_covers());
  BDELTA_TRY(find_words());
  BDELTA_TRY(find_target_copies());
  BDELTA_ASSIGN(const std::uint64_t plain_bytes, chosen_bytes());
  if (plain_bytes < predicted_bytes) return {};
  chosen_ = std::move(predicted);
  inputs_.source_pieces = predicted_pieces;
  return {};
}

}  // namespace bdelta
