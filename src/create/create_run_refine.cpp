// What is made of the covers that were chosen: words that copies have others in place of, copies of NEW, and, where all of
// that takes no time, the same without prediction.
#include "create/create_run.hpp"

#include <algorithm>
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
constexpr std::uint64_t kSureShare = 32;   // a low estimate is off by less than 1/share of the patch
constexpr std::uint64_t kCoverBytes = 3;    // that a cover takes, about
constexpr std::uint64_t kMuchShare = 1024;   // of NEW, that literals and covers take where it changes much

[[nodiscard]] bool changes_much(const Covers& covers, std::uint64_t target_size) {
  return target_size - covered_bytes(covers) + covers.size() * kCoverBytes > target_size / kMuchShare;
}

}  // namespace

// Whether the streams of what was chosen so far are short.
bool CreateRun::has_short_streams() { return draft_chosen().stream_bytes() <= kQuickBytes; }

// words_ become these if the groups with them, and their record, are smaller than without; else they are kept aside.
Status CreateRun::take_words_if_smaller(native::CodedWords words, BodyDraft before) {
  words_ = std::move(words);
  BDELTA_ASSIGN(const bool smaller, is_smaller(draft_chosen(), words_->record.size(), std::move(before), full_measure()));
  if (!smaller) other_words_ = std::exchange(words_, {});
  return {};
}

// Slow contents learn of words as they go. Where little changes they have little to learn from, and would go through all
// copied bytes for it.
bool CreateRun::contents_learn_words() { return budget_.settings.contents && !has_short_streams(); }

// So does the light model, for less than a table of words takes, where it pays at all. That the patch is coded to know
// this is not in vain, unless copies of NEW change it: long streams, nearly all of them literals, must have a chance.
Result<bool> CreateRun::light_misses_learn_words(const BodyDraft& draft) {
  if (budget_.settings.miss_byte_ns == 0) return false;
  if (draft.stream_bytes() <= kQuickBytes || !writer_->tries_light_misses(draft.groups)) return false;
  if (!coded_) {
    BDELTA_ASSIGN(const bool may, draft.is_long() ? writer_->may_take_light_misses(draft.groups) : true);
    if (!may) return false;
    BDELTA_ASSIGN(coded_, code_body(draft, full_measure()));
  }
  return has_coded_misses();
}

bool CreateRun::has_coded_misses() const noexcept {
  if (!coded_) return false;
  const auto& choices = coded_->groups.choices;
  return std::any_of(choices.begin(), choices.end(),
                     [](const native::GroupChoices& made) { return made.contents_bytes[kResidualGaps] > 0; });
}

// Groups with copies of NEW have no coded contents. Where these pay, `draft`, which has such copies, is often so much
// larger that it need not be coded to know.
Result<bool> CreateRun::is_larger_for_sure(const BodyDraft& draft, std::uint64_t extra_bytes) {
  if (!has_coded_misses() || draft.stream_bytes() <= kQuickBytes) return false;
  BDELTA_ASSIGN(const std::uint64_t bytes, estimate_body(draft, native::Estimate::kLow));
  return bytes + extra_bytes > coded_->bytes + coded_->bytes / kSureShare;
}

// Words that copies by these covers have others in place of.
Result<std::optional<native::CodedWords>> CreateRun::search_words(const Covers& covers) {
  const CopiedBytes copied{programs_ ? programs_->copied() : source_.bytes(), programs_ != nullptr, target_.bytes(),
                           covers};
  return learn_words(copied, budget_.settings.word_search, *writer_, *pool_);
}

// Like prediction, where both files are at hand as a whole: a patch has one set of words.
Status CreateRun::find_words() {
  if (budget_.settings.word_search == 0 || !budget_.ample || !writer_ || contents_learn_words()) return {};
  set_segment_range(share::kChosen, share::kChosen);
  other_words_.reset();
  BDELTA_ASSIGN(std::optional<native::CodedWords> found, search_words(covers_));
  if (!found) return {};
  const bool chooses = budget_.settings.choice_bytes > 0;
  BodyDraft before;
  if (chooses || budget_.settings.miss_byte_ns > 0) before = draft_chosen();
  BDELTA_ASSIGN(const bool learned, light_misses_learn_words(before));
  if (learned) {
    other_words_ = std::move(found);
    return {};
  }
  if (chooses) return take_words_if_smaller(std::move(*found), std::move(before));
  words_ = std::move(found);
  coded_.reset();
  return {};
}

// Copies of what stands before in NEW, for these covers.
TargetCopies CreateRun::target_copies_for(const Covers& covers, const WordMap* words) {
  const LevelSettings& settings = budget_.settings;
  const CopiedTarget copied{source_.bytes(), target_.bytes(), covers, words, !settings.quick_copies};
  const TargetCopyLimits limits{settings.history_bytes, settings.least_saved_share, settings.copy_gram_shift};
  const Span step(&timeline_, PhaseId::kSelect, TraceSpan::kNone, target_.bytes().size());
  return bdelta::find_target_copies(copied, ParseCosts(), limits, *pool_);
}

// From now on covers may copy from NEW behind OLD. Gives what they could copy from so far.
FilePieces CreateRun::append_target() {
  return std::exchange(source_pieces_, FilePieces({{0, source_.bytes()}, {source_.bytes().size(), target_.bytes()}}));
}

// Of fast levels, which code nothing to know what is smaller.
void CreateRun::take_target_copies() {
  if (!changes_much(covers_, target_.bytes().size())) return;
  const TargetCopies found = target_copies_for(covers_, nullptr);
  if (found.saved_bytes < std::max(kLeastSaved, found.spent_bytes / budget_.settings.least_saved_share)) return;
  append_target();
  covers_ = with_target_copies(covers_, found.copies, source_.bytes().size());
}

// Such copies where they cost less than what these covers and words make of it; `other`, if there are any, take the place
// of words_.
Status CreateRun::take_target_copies_if_smaller(const Covers& covers, std::optional<native::CodedWords> other) {
  const TargetCopies found = target_copies_for(covers, other ? &other->map : words());
  if (found.saved_bytes < kLeastSaved || found.saved_bytes < found.spent_bytes / kLeastSavedShare) return {};
  BodyDraft before;
  if (!coded_ || coded_->is_long) before = draft_body(covers_);
  const FilePieces pieces_before = append_target();
  const std::uint64_t record_bytes = other ? other->record.size() : 0;
  if (other) std::swap(words_, other);
  Covers with_copies = with_target_copies(covers, found.copies, source_.bytes().size());
  BodyDraft after = draft_body(with_copies);
  BDELTA_ASSIGN(const bool larger, is_larger_for_sure(after, record_bytes));
  bool smaller = false;
  if (!larger) {
    BDELTA_ASSIGN(smaller, is_smaller(std::move(after), record_bytes, std::move(before), full_measure()));
  }
  if (smaller) {
    covers_ = std::move(with_copies);
  } else {
    source_pieces_ = pieces_before;
    if (record_bytes > 0) words_ = std::move(other);
  }
  return {};
}

// Such copies, also with other words: contents know no such copies, so words that these had no need of may be of use again.
Status CreateRun::try_target_copies(const Covers& covers, std::optional<native::CodedWords> other) {
  BDELTA_TRY(take_target_copies_if_smaller(covers, {}));
  if (!other && budget_.settings.contents && !words_) {
    BDELTA_ASSIGN(other, search_words(covers));
  }
  return other ? take_target_copies_if_smaller(covers, std::move(other)) : Status();
}

// Beside slow contents, covers that leave more to copies of NEW than those chosen without may be better with them. With fast
// coders they were on none of 19 pairs, and small ones took half as long again. With prediction there are none.
Status CreateRun::find_target_copies() {
  const std::vector<Covers> other_sets = std::exchange(not_chosen_, {});
  if (budget_.settings.history_bytes == 0 || !budget_.ample || programs_ || !writer_) return {};
  set_segment_range(share::kChosen, share::kChosen);
  if (budget_.settings.quick_copies) {
    take_target_copies();
    return {};
  }
  const Covers covers = covers_;
  BDELTA_TRY(try_target_copies(covers, std::exchange(other_words_, {})));
  for (const Covers& others : other_sets) BDELTA_TRY(try_target_copies(others, {}));
  return {};
}

// coded_ becomes what was chosen and found so far, if it is not yet.
Status CreateRun::code_chosen() {
  if (coded_) return {};
  BDELTA_ASSIGN(coded_, code_body(draft_chosen(), full_measure()));
  return {};
}

// How much the patch takes by what was chosen and found, beside what all patches of this pair have.
Result<std::uint64_t> CreateRun::made_bytes() {
  BDELTA_TRY(code_chosen());
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
