// Which covers go into the patch, and what is made of them.
#include "create/create_run.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/try.hpp"
#include "create/cover_search.hpp"
#include "create/refinement.hpp"
#include "create/alternative_chooser.hpp"

namespace bdelta {

const ProgramPass* CreateRun::doubted_programs() const noexcept {
  const ProgramPass* const programs = chosen_.programs.get();
  return programs && programs->in_doubt() && !compares_prediction_ ? programs : nullptr;
}

Status CreateRun::find_in_source(ByteSpan target, const Diagonals& diagonals) {
  if (!coder_) {
    found_ = matcher_->find(target, diagonals);
    return {};
  }
  CoverSearch search(*matcher_, *coder_, inputs_, [&](const CoverChanges& changes, bool searches) {
    work_->set_seeds(changes.free_bytes, changes.changed_bytes() - changes.free_bytes);
    begin_step(searches ? WorkStep::kSearch : WorkStep::kParse, WorkStep::kParse);
  });
  BDELTA_ASSIGN(found_, search.find(target, diagonals, seeds_, doubted_programs()));
  return {};
}

Status CreateRun::choose_covers() {
  const ProgramPass* const doubted = found_.empty() ? nullptr : doubted_programs();
  std::vector<std::size_t> alternatives(found_.size() + (doubted ? 1 : 0));
  std::iota(alternatives.begin(), alternatives.end(), std::size_t{0});
  std::size_t best = 0;  // where no plain covers were looked for, prediction: it has done clearly better in a sample
  if (alternatives.size() > 1 && coder_) {
    AlternativeChooser chooser(*coder_, found_, doubted);
    BDELTA_ASSIGN(best, chooser.smallest_of(alternatives, 0, 1));
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

Status CreateRun::find_substitutions() {
  if (!sees_whole_files()) return {};
  begin_step(WorkStep::kRefine);
  return Refinement(*coder_, inputs_, chosen_).find_substitutions();
}

Status CreateRun::find_target_copies() {
  if (!sees_whole_files() || budget_.settings.history_bytes == 0) return {};
  return Refinement(*coder_, inputs_, chosen_).find_target_copies();
}

Result<std::uint64_t> CreateRun::chosen_bytes() {
  BDELTA_TRY(coder_->code(chosen_));
  return chosen_.coded->bytes + (chosen_.substitutions ? chosen_.substitutions->record.size() : 0);
}

// Everything once more without prediction, and the smaller one is kept.
Status CreateRun::compare_prediction() {
  if (!compares_prediction_) return {};
  BDELTA_ASSIGN(const std::uint64_t predicted_bytes, chosen_bytes());
  Chosen predicted = std::exchange(chosen_, {});
  const FilePieces predicted_pieces = inputs_.source_pieces;
  BDELTA_TRY(find_covers());
  BDELTA_TRY(choose_covers());
  BDELTA_TRY(find_substitutions());
  BDELTA_TRY(find_target_copies());
  BDELTA_ASSIGN(const std::uint64_t plain_bytes, chosen_bytes());
  if (plain_bytes < predicted_bytes) return {};
  chosen_ = std::move(predicted);
  inputs_.source_pieces = predicted_pieces;
  return {};
}

}  // namespace bdelta
