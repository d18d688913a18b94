// What is made of the covers that were chosen: words that copies have others in place of, copies of NEW, and, where all of
// that takes no time, the same without prediction.
#include "create/create_run.hpp"

#include <utility>

#include "base/try.hpp"
#include "create/progress_shares.hpp"
#include "create/word_pass.hpp"
#include "match/target_copies.hpp"

namespace bdelta {
namespace {

// Copies of NEW that save less than this, and than this share of the patch, are not worth trying.
constexpr std::uint64_t kLeastSaved = 32;
constexpr std::uint64_t kLeastSavedShare = 128;

}  // namespace

// Whether the streams of what was chosen so far are short.
bool CreateRun::has_short_streams() { return draft_chosen().stream_bytes() <= kQuickBytes; }

// words_ become these if the groups with them, and their record, are smaller than without.
Status CreateRun::take_words_if_smaller(native::CodedWords words) {
  BodyDraft before = draft_chosen();
  words_ = std::move(words);
  BDELTA_ASSIGN(const bool smaller, is_smaller(draft_chosen(), words_->record.size(), std::move(before), full_measure()));
  if (!smaller) words_.reset();
  return {};
}

// Whether the groups of these covers are smaller than those of covers_, without prediction.
Result<bool> CreateRun::are_covers_smaller(const Covers& covers) {
  return is_smaller(draft_body(covers), 0, draft_body(covers_), full_measure());
}

// Slow contents learn of words as they go. Where little changes they have little to learn from, and would go through all
// copied bytes for it.
bool CreateRun::contents_learn_words() { return budget_.settings.contents && !has_short_streams(); }

// Like prediction, where both files are at hand as a whole: a patch has one set of words.
Status CreateRun::find_words() {
  if (budget_.settings.word_search == 0 || !budget_.ample || !writer_ || contents_learn_words()) return {};
  set_segment_range(share::kChosen, share::kChosen);
  const CopiedBytes copied{programs_ ? programs_->copied() : source_.bytes(), programs_ != nullptr, target_.bytes(),
                           covers_};
  BDELTA_ASSIGN(std::optional<native::CodedWords> found,
                learn_words(copied, budget_.settings.word_search, *writer_, *pool_));
  if (!found) return {};
  if (budget_.settings.choice_bytes > 0) return take_words_if_smaller(std::move(*found));
  words_ = std::move(found);
  coded_.reset();
  return {};
}

// Copies of what stands before in NEW, where that costs less than what covers and words make of it. Contents know no
// such copies. With prediction there are none.
Status CreateRun::find_target_copies() {
  if (budget_.settings.history_bytes == 0 || !budget_.ample || programs_ || !writer_) return {};
  set_segment_range(share::kChosen, share::kChosen);
  const CopiedTarget copied{source_.bytes(), target_.bytes(), covers_, words()};
  const TargetCopies found = [&] {
    const Span step(&timeline_, PhaseId::kSelect, TraceSpan::kNone, target_.bytes().size());
    return bdelta::find_target_copies(copied, ParseCosts(), budget_.settings.history_bytes, *pool_);
  }();
  if (found.saved_bytes < kLeastSaved || found.saved_bytes < found.spent_bytes / kLeastSavedShare) return {};
  const FilePieces source_alone = std::exchange(
      source_pieces_, FilePieces({{0, source_.bytes()}, {source_.bytes().size(), target_.bytes()}}));
  Covers covers = with_target_copies(covers_, found.copies, source_.bytes().size());
  BDELTA_ASSIGN(const bool smaller, are_covers_smaller(covers));
  if (smaller) {
    covers_ = std::move(covers);
  } else {
    source_pieces_ = source_alone;
  }
  return {};
}

// How much the patch takes by what was chosen and found, beside what all patches of this pair have.
Result<std::uint64_t> CreateRun::made_bytes() {
  if (!coded_) {
    BDELTA_ASSIGN(coded_, code_body(draft_chosen(), full_measure()));
  }
  return coded_->bytes + (words_ ? words_->record.size() : 0);
}

CreateRun::Made CreateRun::take_made() {
  return {std::move(programs_), std::exchange(words_, {}), std::exchange(covers_, {}), std::exchange(coded_, {}),
          source_pieces_};
}

void CreateRun::restore_made(Made made) {
  programs_ = std::move(made.programs);
  words_ = std::move(made.words);
  covers_ = std::move(made.covers);
  coded_ = std::move(made.coded);
  source_pieces_ = std::move(made.source_pieces);
}

// Everything once more without prediction, and the smaller one is kept.
Status CreateRun::compare_prediction() {
  if (!compares_prediction_) return {};
  BDELTA_ASSIGN(const std::uint64_t predicted_bytes, made_bytes());
  Made predicted = take_made();
  BDELTA_TRY(find_covers());
  BDELTA_TRY(choose_covers());
  BDELTA_TRY(find_words());
  BDELTA_TRY(find_target_copies());
  BDELTA_ASSIGN(const std::uint64_t plain_bytes, made_bytes());
  if (plain_bytes >= predicted_bytes) restore_made(std::move(predicted));
  return {};
}

}  // namespace bdelta
