#include "create/refinement.hpp"

#include <algorithm>
#include <utility>

#include "base/deciding/choosing.hpp"
#include "base/try.hpp"
#include "match/cover_ranges.hpp"
#include "create/substitution_pass.hpp"

namespace bdelta {
namespace {

constexpr double kSubstitutionsFound = 0.5, kCopiesFound = 0.75;  // goals of stages

[[nodiscard]] bool changes_much(const Covers& covers, std::uint64_t target_size) {
  return target_size - covered_bytes(covers) + covers.size() * kCoverBytes > target_size / kMuchShare;
}

}  // namespace

// The substitutions become these if the groups with them, and their record, are smaller than without; else they are
// kept aside.
Status Refinement::take_substitutions_if_smaller(native::CodedSubstitutions substitutions, BodyDraft before) {
  chosen_.substitutions = std::move(substitutions);
  BDELTA_ASSIGN(const bool smaller, coder_.is_smaller(coder_.draft(chosen_), chosen_.substitutions->record.size(),
                                                      std::move(before), chosen_.coded));
  if (!smaller) chosen_.other_substitutions = std::exchange(chosen_.substitutions, {});
  return {};
}

// The model of misses learns of substitutions as it goes, for less than a table of them takes, where it pays at all.
// That the patch is coded to know this is not in vain, unless copies of NEW change it: long streams, nearly all of them
// literals, must have a chance.
Result<bool> Refinement::modelled_misses_learn_substitutions(const BodyDraft& draft) {
  if (!coder_.settings().coding.model_misses) return false;
  if (draft.stream_bytes() <= kQuickBytes || !coder_.tries_modelled_misses(draft)) return false;
  if (!chosen_.coded) {
    BDELTA_ASSIGN(const bool may, draft.is_long() ? coder_.may_take_modelled_misses(draft) : true);
    if (!may) return false;
    BDELTA_ASSIGN(chosen_.coded, coder_.code(draft));
  }
  return has_modelled_misses();
}

Status Refinement::find_substitutions() {
  const LevelSettings& settings = coder_.settings();
  if (settings.substitution_search == 0) return {};
  coder_.pool().begin_stage(kSubstitutionsFound, 0);
  const ProgramPass* const programs = chosen_.programs.get();
  const CopiedBytes copied{programs ? programs->copied() : inputs_.source.bytes(), programs != nullptr,
                           inputs_.target.bytes(), chosen_.covers};
  BDELTA_ASSIGN(std::optional<native::CodedSubstitutions> found,
                learn_substitutions(copied, settings.substitution_search, settings.coding.literals, coder_.pool()));
  if (!found) return {};
  const bool chooses = settings.choice_bytes > 0;
  BodyDraft before;
  if (chooses || settings.coding.model_misses) before = coder_.draft(chosen_);
  BDELTA_ASSIGN(const bool learned, modelled_misses_learn_substitutions(before));
  if (learned) {
    chosen_.other_substitutions = std::move(found);
    return {};
  }
  if (chooses) return take_substitutions_if_smaller(std::move(*found), std::move(before));
  chosen_.substitutions = std::move(found);
  chosen_.coded.reset();
  return {};
}

// Copies of what stands before in NEW, for these covers.
TargetCopies Refinement::target_copies_for(const Covers& covers, const SubstitutionTable* substitutions) {
  const LevelSettings& settings = coder_.settings();
  const ByteSpan target = inputs_.target.bytes();
  // What covers of programs get wrong without prediction is no measure.
  const bool count_misses = !settings.quick_copies && !chosen_.programs;
  const CopiedTarget copied{inputs_.source.bytes(), target, covers, substitutions, count_misses};
  const TargetCopyLimits limits{settings.history_bytes, settings.least_saved_share, settings.copy_gram_shift};
  const Step step(coder_.pool(), PhaseId::kSelect, target.size());
  TargetCopies found = bdelta::find_target_copies(copied, ParseCosts(), limits, coder_.pool());
  if (chosen_.programs) {
    found.copies = covers_in(outside_of(chosen_.programs->predicted_ranges(), target.size()), found.copies);
    std::erase_if(found.copies, [](const Cover& copy) { return copy.length < kLeastCopyBytes; });
  }
  return found;
}

// Windows that are predicted copy nothing of NEW.
bool Refinement::predicts_all() const noexcept {
  if (!chosen_.programs) return false;
  const ByteRanges& ranges = chosen_.programs->predicted_ranges();
  return ranges.size() == 1 && ranges[0].begin == 0 && ranges[0].end == inputs_.target.bytes().size();
}

void Refinement::take_target_copies() {
  if (!changes_much(chosen_.covers, inputs_.target.bytes().size())) return;
  const TargetCopies found = target_copies_for(chosen_.covers, nullptr);
  const std::uint64_t least_saved = found.spent_bytes / coder_.settings().least_saved_share;
  if (found.saved_bytes < std::max(kLeastSavedBytes, least_saved)) return;
  inputs_.append_target();
  chosen_.covers = with_target_copies(chosen_.covers, found.copies, inputs_.source.bytes().size());
}

// Windows with copies of NEW have no modelled bytes. Where these pay, `draft`, which has such copies, is often so much
// larger that it need not be coded to know.
Result<bool> Refinement::is_larger_for_sure(const BodyDraft& draft, std::uint64_t extra_bytes) {
  if (!has_modelled_misses() || draft.stream_bytes() <= kQuickBytes) return false;
  BDELTA_ASSIGN(const std::uint64_t bytes, coder_.estimate(draft, native::Estimate::kLow));
  return bytes + extra_bytes > chosen_.coded->bytes + chosen_.coded->bytes / kSureShare;
}

// Such copies where they cost less than what these covers and the chosen substitutions make of it. `other` are for when no
// substitutions are chosen, and take the place of these.
Status Refinement::take_target_copies_if_smaller(const Covers& covers, std::optional<native::CodedSubstitutions> other) {
  const TargetCopies found = target_copies_for(covers, other ? &other->table : chosen_.substitution_table());
  if (found.saved_bytes < kLeastSavedBytes || found.saved_bytes < found.spent_bytes / kLeastSavedShare) return {};
  coder_.pool().begin_stage(1, 2 * inputs_.target.bytes().size());  // two drafts
  BodyDraft before;
  if (!chosen_.coded || chosen_.coded->is_long) before = coder_.draft(chosen_);
  const FilePieces pieces_before = inputs_.append_target();
  const std::uint64_t record_bytes = other ? other->record.size() : 0;
  if (other) std::swap(chosen_.substitutions, other);
  Covers with_copies = with_target_copies(covers, found.copies, inputs_.source.bytes().size());
  BodyDraft after = coder_.draft(with_copies, chosen_.substitution_table(), chosen_.programs.get());
  BDELTA_ASSIGN(const bool larger, is_larger_for_sure(after, record_bytes));
  bool smaller = false;
  if (!larger) {
    BDELTA_ASSIGN(smaller, coder_.is_smaller(std::move(after), record_bytes, std::move(before), chosen_.coded));
  }
  if (smaller) {
    chosen_.covers = std::move(with_copies);
  } else {
    inputs_.source_pieces = pieces_before;
    if (record_bytes > 0) chosen_.substitutions = std::move(other);
  }
  return {};
}

// Windows with such copies have no modelled bytes, so substitutions that these had no need of may be of use again. Sets
// of covers that were not chosen were better with such copies on none of 19 pairs, and small ones took half as long
// again.
Status Refinement::find_target_copies() {
  std::optional<native::CodedSubstitutions> other_substitutions = std::exchange(chosen_.other_substitutions, {});
  if (predicts_all()) return {};
  coder_.pool().begin_stage(kCopiesFound, 0);
  if (coder_.settings().quick_copies) {
    take_target_copies();
    return {};
  }
  const Covers covers = chosen_.covers;
  BDELTA_TRY(take_target_copies_if_smaller(covers, {}));
  return other_substitutions ? take_target_copies_if_smaller(covers, std::move(other_substitutions)) : Status();
}

}  // namespace bdelta
