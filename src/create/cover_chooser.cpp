#include "create/cover_chooser.hpp"

#include <algorithm>
#include <utility>

#include "base/try.hpp"
#include "create/alternative_chooser.hpp"
#include "create/cover_search.hpp"
#include "create/outside_file.hpp"
#include "create/refinement.hpp"

namespace bdelta {

Result<Chosen> CoverChooser::choose(Survey survey, std::unique_ptr<ProgramPass> programs) {
  if (!programs) return choose_plain(std::move(survey), nullptr);
  work_.begin_step(WorkStep::kSearch, WorkStep::kParse);
  BDELTA_ASSIGN(const Covers outside_covers, find_outside_covers(programs->predicted_ranges()));
  programs->find_covers(inputs_.diagonals(), outside_covers);
  if (programs->in_doubt() && !programs->is_close_call()) return choose_plain(std::move(survey), std::move(programs));
  Chosen predicted;
  predicted.programs = std::move(programs);
  predicted.covers = predicted.programs->covers();
  work_.estimate().set_covers(inputs_.target_size() - covered_bytes(predicted.covers), predicted.covers.size());
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
Result<Chosen> CoverChooser::choose_plain(Survey survey, std::unique_ptr<ProgramPass> doubted) {
  work_.estimate().set_predicts(false);
  BDELTA_ASSIGN(std::vector<Covers> found, find_sets(std::move(survey), doubted.get()));
  const std::size_t count = found.size() + (doubted && !found.empty() ? 1 : 0);
  Chosen chosen;
  std::size_t best = 0;
  if (count > 1 && body_.coder()) {
    AlternativeChooser chooser(*body_.coder(), found, doubted.get());
    BDELTA_ASSIGN(best, chooser.smallest_of(0, count, 0, 1));
    // Groups of two segments may be joined.
    if (inputs_.is_one_segment()) chosen.coded = chooser.take_coded();
  }
  if (best < found.size()) {
    chosen.covers = std::move(found[best]);
  } else {
    chosen.programs = std::move(doubted);
    chosen.covers = chosen.programs->covers();
  }
  work_.estimate().set_predicts(chosen.programs != nullptr);
  work_.estimate().set_covers(inputs_.segment_size() - covered_bytes(chosen.covers), chosen.covers.size());
  if (chosen.coded) work_.estimate().set_streams({});
  BDELTA_TRY(refine(chosen));
  return chosen;
}

Status CoverChooser::refine(Chosen& chosen) {
  if (!work_.sees_whole_files()) return {};
  work_.begin_step(WorkStep::kRefine);
  Refinement refinement(*body_.coder(), inputs_, chosen);
  BDELTA_TRY(refinement.find_substitutions());
  return work_.settings().history_bytes == 0 ? Status() : refinement.find_target_copies();
}

// How much the patch takes by what was chosen, beside what all patches of this pair have.
Result<std::uint64_t> CoverChooser::bytes_of(Chosen& chosen) {
  BDELTA_TRY(body_.coder()->code(chosen));
  return chosen.coded->bytes + (chosen.substitutions ? chosen.substitutions->record.size() : 0);
}

Result<Covers> CoverChooser::find_outside_covers(const ByteRanges& predicted) {
  ByteRanges outside = outside_of(predicted, inputs_.target_size());
  if (outside.empty()) return Covers();
  OutsideFile file(std::move(outside), inputs_.target.bytes());
  io::MemoryReader source_reader(inputs_.source.bytes()), target_reader(file.bytes());
  BDELTA_ASSIGN(InputBytes source, InputBytes::load(source_reader, work_.pool()));
  BDELTA_ASSIGN(InputBytes target, InputBytes::load(target_reader, work_.pool()));
  CreateInputs inputs{source_reader, target_reader, std::move(source), std::move(target), {0, target_reader.size()},
                      inputs_.source_pieces, FilePieces(file.bytes())};
  BodyCoder coder(work_.budget(), inputs, body_.native_writer(), work_.pool());
  Matcher matcher(inputs_.source.bytes(), work_.settings().match, work_.budget().match, work_.pool());
  CoverSearch search(matcher, coder, inputs, {});
  BDELTA_ASSIGN(const Covers covers, search.find_best(file.bytes(), file.diagonals(inputs_.diagonals())));
  return file.placed(covers);
}

Result<std::vector<Covers>> CoverChooser::find_sets(Survey survey, const ProgramPass* doubted) {
  work_.begin_step(WorkStep::kSearch, WorkStep::kParse);
  std::vector<Covers> found;
  if (const std::optional<GatheredSource>& gathered = inputs_.gathered) {
    const ByteSpan target = inputs_.target_pieces.span(inputs_.segment.begin, inputs_.segment_size());
    Matcher matcher(gathered->bytes(), work_.settings().match, work_.budget().match, work_.pool());
    found = matcher.find(target, gathered->diagonals());
    for (Covers& covers : found) covers = gathered->place(std::move(covers));
  } else {
    BDELTA_ASSIGN(found, find_whole_sets(std::move(survey), doubted));
  }
  for (Covers& covers : found) inputs_.move_to_segment(covers);
  return found;
}

// What a survey found goes on from there. In segments there is none, and one index for all that need it.
Result<std::vector<Covers>> CoverChooser::find_whole_sets(Survey survey, const ProgramPass* doubted) {
  if (!matcher_) matcher_.emplace(inputs_.source.bytes(), work_.settings().match, work_.budget().match, work_.pool());
  if (survey.is_made && !work_.settings().match.parse) return std::vector<Covers>{std::move(survey.plain)};
  Covers().swap(survey.plain);
  const ByteSpan target = inputs_.target_pieces.span(inputs_.segment.begin, inputs_.segment_size());
  const auto tell = [&](const CoverChanges& changes, bool searches) {
    work_.estimate().set_seeds(changes.free_bytes, changes.changed_bytes() - changes.free_bytes);
    work_.begin_step(searches ? WorkStep::kSearch : WorkStep::kParse, WorkStep::kParse);
  };
  Covers seeds = survey.is_made ? std::move(survey.seeds) : matcher_->find_seeds(target, inputs_.diagonals(), tell);
  if (!body_.coder()) return matcher_->find_from(target, std::move(seeds));
  return CoverSearch(*matcher_, *body_.coder(), inputs_, tell).find_from(target, std::move(seeds), doubted);
}

}  // namespace bdelta
