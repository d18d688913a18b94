// Which covers go into the patch, and what is made of them.
#include "create/create_run.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/try.hpp"
#include "create/refinement.hpp"
#include "create/alternative_chooser.hpp"

namespace bdelta {

Result<Chosen> CreateRun::choose(Survey survey, std::unique_ptr<ProgramPass> programs) {
  if (!programs) return choose_plain(std::move(survey), nullptr);
  begin_step(WorkStep::kSearch, WorkStep::kParse);
  BDELTA_ASSIGN(const Covers outside_covers, find_outside_covers(programs->predicted_ranges()));
  programs->find_covers(diagonals(), outside_covers);
  if (programs->in_doubt() && !programs->is_close_call()) return choose_plain(std::move(survey), std::move(programs));
  Chosen predicted;
  predicted.programs = std::move(programs);
  predicted.covers = predicted.programs->covers();
  work_->set_covers(target_size() - covered_bytes(predicted.covers), predicted.covers.size());
  BDELTA_TRY(refine(predicted));
  if (!predicted.programs->is_close_call()) return predicted;

  // Everything once more without prediction, where that takes no time, and the smaller one is kept.
  BDELTA_ASSIGN(const std::uint64_t predicted_bytes, bytes_of(predicted));
  const FilePieces predicted_pieces = inputs_.source_pieces;
  BDELTA_ASSIGN(Chosen plain, choose_plain(std::move(survey), nullptr));
  BDELTA_ASSIGN(const std::uint64_t plain_bytes, bytes_of(plain));
  if (plain_bytes < predicted_bytes) return plain;
  inputs_.source_pieces = predicted_pieces;
  return predicted;
}

// Where no plain covers are wanted it is prediction: it has done clearly better in a sample.
Result<Chosen> CreateRun::choose_plain(Survey survey, std::unique_ptr<ProgramPass> doubted) {
  work_->set_predicts(false);
  BDELTA_ASSIGN(std::vector<Covers> found, find_sets(std::move(survey), doubted.get()));
  std::vector<std::size_t> alternatives(found.size() + (doubted && !found.empty() ? 1 : 0));
  std::iota(alternatives.begin(), alternatives.end(), std::size_t{0});
  Chosen chosen;
  std::size_t best = 0;
  if (alternatives.size() > 1 && coder_) {
    AlternativeChooser chooser(*coder_, found, doubted.get());
    BDELTA_ASSIGN(best, chooser.smallest_of(alternatives, 0, 1));
    // Groups of two segments may be joined.
    if (inputs_.segment.begin == 0 && inputs_.segment.end == target_size()) chosen.coded = chooser.take_coded();
  }
  if (best < found.size()) {
    chosen.covers = std::move(found[best]);
  } else {
    chosen.programs = std::move(doubted);
    chosen.covers = chosen.programs->covers();
  }
  work_->set_predicts(chosen.programs != nullptr);
  work_->set_covers(inputs_.segment.end - inputs_.segment.begin - covered_bytes(chosen.covers), chosen.covers.size());
  if (chosen.coded) work_->set_streams({});
  BDELTA_TRY(refine(chosen));
  return chosen;
}

Status CreateRun::refine(Chosen& chosen) {
  if (!sees_whole_files()) return {};
  begin_step(WorkStep::kRefine);
  Refinement refinement(*coder_, inputs_, chosen);
  BDELTA_TRY(refinement.find_substitutions());
  return budget_.settings.history_bytes == 0 ? Status() : refinement.find_target_copies();
}

// How much the patch takes by what was chosen, beside what all patches of this pair have.
Result<std::uint64_t> CreateRun::bytes_of(Chosen& chosen) {
  BDELTA_TRY(coder_->code(chosen));
  return chosen.coded->bytes + (chosen.substitutions ? chosen.substitutions->record.size() : 0);
}

}  // namespace bdelta
