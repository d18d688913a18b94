#include "format/native/reader.hpp"

#include <algorithm>
#include <new>
#include <string>

#include "base/try.hpp"
#include "format/native/fill_record.hpp"
#include "format/native/framing.hpp"
#include "format/native/global_record.hpp"
#include "format/native/group_reader.hpp"
#include "format/native/head_reader.hpp"
#include "format/native/moved_number_record.hpp"
#include "format/native/word_record.hpp"
#include "model/window_decoder.hpp"

namespace bdelta::native {
namespace {

class Reader final : public PatchReader {
 public:
  Reader(io::TypedReader& patch, const Head& head) : patch_(patch), header_(head.header), room_(head.header) {
    take_memory(header_.history_bytes);
    info_.format = "bdt2";
    info_.version = kVersion;
    info_.draft = kDraft;
    info_.source_size = header_.source_size;
    info_.target_size = header_.target_size;
    info_.source_digest = header_.source_digest;
    info_.target_digest = header_.target_digest;
    info_.required_features = header_.required_features;
    info_.predicted = (header_.required_features & kFeaturePrediction) != 0;
    info_.optional_features = header_.optional_features;
    info_.window_bytes = header_.window_bytes;
    info_.group_bytes = header_.group_bytes;
    info_.decoder_memory_bytes = header_.decoder_memory_bytes;
    info_.history_bytes = header_.history_bytes;
    info_.head_sha256 = head.head_sha256;
  }

  [[nodiscard]] const PatchInfo& info() const noexcept override { return info_; }

  [[nodiscard]] bool plan_is_whole() const noexcept override {
    if (lacks_fills() || lacks_moved_numbers() || lacks_words()) return false;
    return !predicts() || (plan_ && plan_pos_ == header_.target_size);
  }

  [[nodiscard]] const Fills& fills() const noexcept override { return fills_; }
  [[nodiscard]] const MovedNumbers& moved_numbers() const noexcept override { return moved_numbers_; }

  Status read_plan_record() override {
    try {
      if (plan_is_whole()) return {};
      if (lacks_fills()) return read_fill_record();
      if (lacks_moved_numbers()) return read_moved_number_record();
      if (lacks_words()) return read_word_record();
      BDELTA_TRY(plan_ ? read_covers() : read_global_record());
      return plan_is_whole() ? finish_plan() : Status();
    } catch (const std::bad_alloc&) {
      return Error{ErrorCode::kOutOfMemory, "while decoding the patch"};
    }
  }

  Result<const PredictionPlan*> read_prediction() override {
    while (!plan_is_whole()) BDELTA_TRY(read_plan_record());
    return plan_ ? &*plan_ : nullptr;
  }

  Result<bool> next(WindowDelta& window) override {
    BDELTA_TRY(read_prediction());
    try {
      while (!group_ || group_->at_end()) {
        if (group_) BDELTA_TRY(group_->close());
        BDELTA_ASSIGN(const bool more, next_group());
        if (!more) return false;
      }
      BDELTA_ASSIGN(const WindowRecord record, group_->next(streams_));
      window.target_pos = target_pos_;
      BDELTA_TRY(decode_window(record, streams_, diagonal_, window));
      if (!record.plain) tell_target_copies(window);
      window.words = words_ && !record.plain ? &*words_ : nullptr;
      place_contents(window);
      target_pos_ += window.target_length;
      return true;
    } catch (const std::bad_alloc&) {
      return Error{ErrorCode::kOutOfMemory, "while decoding the patch"};
    }
  }

 private:
  [[nodiscard]] bool predicts() const noexcept { return (header_.required_features & kFeaturePrediction) != 0; }

  [[nodiscard]] bool lacks_fills() const noexcept {
    return (header_.required_features & kFeatureFills) != 0 && fills_.empty();
  }

  [[nodiscard]] bool lacks_moved_numbers() const noexcept {
    return (header_.required_features & kFeatureMovedNumbers) != 0 && moved_numbers_.lists.empty();
  }

  [[nodiscard]] bool lacks_words() const noexcept {
    return (header_.required_features & kFeatureWords) != 0 && !words_;
  }

  // What is held for good is not there for what comes later.
  void take_memory(std::uint64_t bytes) noexcept {
    room_.decoder_memory_bytes -= std::min(room_.decoder_memory_bytes, bytes);
  }

  // Passes over the tag of the record that has to come here.
  Status expect(RecordTag wanted) {
    const std::uint8_t tag = patch_.u8();
    BDELTA_TRY(patch_.status());
    return tag == static_cast<std::uint8_t>(wanted) ? Status() : Status(misplaced(tag));
  }

  // Each of these records has something in it, so what it fills is no longer empty.
  Status read_fill_record() {
    BDELTA_TRY(expect(RecordTag::kFills));
    BDELTA_ASSIGN(fills_, read_fills(patch_, room_));
    take_memory(held_bytes(fills_));
    return {};
  }

  Status read_moved_number_record() {
    BDELTA_TRY(expect(RecordTag::kMovedNumbers));
    BDELTA_ASSIGN(moved_numbers_, read_moved_numbers(patch_, room_));
    take_memory(moved_numbers_.held_bytes());
    return {};
  }

  Status read_word_record() {
    BDELTA_TRY(expect(RecordTag::kWords));
    BDELTA_ASSIGN(WordMap words, read_words(patch_, room_));
    words_.emplace(std::move(words));
    take_memory(words_->memory_bytes());
    return {};
  }

  Status read_global_record() {
    BDELTA_TRY(expect(RecordTag::kGlobal));
    PredictionPlan plan;
    plan.memory_bytes = room_.decoder_memory_bytes;
    BDELTA_TRY(read_global(patch_, room_, plan));
    plan_ = std::move(plan);
    take_memory(plan_->images.size() + plan_->labels.size());
    return {};
  }

  // One group of covers. What they take together is held below what the header declares.
  Status read_covers() {
    BDELTA_TRY(expect(RecordTag::kCovers));
    BDELTA_ASSIGN(const std::uint64_t end, open_group(GroupKind::kCovers, plan_pos_));
    Covers& covers = plan_->covers;
    while (!group_->at_end()) {
      BDELTA_ASSIGN(const WindowRecord record, group_->next(streams_));
      if (record.copy_count > room_.decoder_memory_bytes / sizeof(Cover) - covers.size()) {
        return Error{ErrorCode::kPatchCorrupt, "its covers need more memory than the header declares", patch_.position()};
      }
      BDELTA_TRY(decode_covers(record, streams_, plan_pos_, diagonal_, covers));
      plan_pos_ += record.target_length;
    }
    BDELTA_TRY(group_->close());
    group_.reset();
    return plan_pos_ == end ? Status() : Status(Error{ErrorCode::kInternal, "a group of covers lacks windows"});
  }

  Status finish_plan() {
    if (!covers_are_valid(plan_->covers, header_.source_size, header_.target_size)) {
      return Error{ErrorCode::kOpOutOfRange, "covers reach beyond OLD or NEW", patch_.position()};
    }
    take_memory(plan_->covers.size() * sizeof(Cover));
    cover_streams_.emplace(plan_->covers);
    return {};
  }

  // What begins behind the end of the source is a place of the target.
  void tell_target_copies(WindowDelta& window) const noexcept {
    window.history_bytes = header_.history_bytes;
    if ((header_.required_features & kFeatureTargetCopies) == 0) return;
    for (DeltaOp& op : window.ops) {
      if (op.kind != OpKind::kCopy || op.source_pos < header_.source_size) continue;
      op.kind = OpKind::kTargetCopy;
      op.source_pos -= header_.source_size;
    }
  }

  // Coded contents leave the place of the stream that their code stands for.
  void place_contents(WindowDelta& window) {
    window.contents = group_->contents_part();
    window.code.clear();
    if (window.contents) {
      window.code.swap(code_stream(window.contents->scope) == kLiterals ? window.literals : window.residual_values);
      window.contents->group = group_count_;
      window.contents->source_before = source_end_;
    }
    const DeltaOp& last = window.ops.back();
    source_end_ = last.kind == OpKind::kCopy ? last.source_pos + last.length : kNoSource;
  }

  Error misplaced(std::uint8_t tag) {
    return {ErrorCode::kPatchCorrupt, "record type " + std::to_string(tag) + " has no place here", patch_.position() - 1};
  }

  Result<bool> next_group() {
    const std::uint8_t tag = patch_.u8();
    BDELTA_TRY(patch_.status());
    if (tag == static_cast<std::uint8_t>(RecordTag::kEnd)) return finish();
    if (tag != static_cast<std::uint8_t>(RecordTag::kGroup)) return misplaced(tag);
    BDELTA_TRY(open_group(plan_ ? GroupKind::kContents : GroupKind::kWhole, target_pos_));
    return true;
  }

  // Reads what stands before the body of a group that begins at target_pos; gives where it ends.
  Result<std::uint64_t> open_group(GroupKind kind, std::uint64_t target_pos) {
    const auto [target_bytes, body_bytes] = read_group_head(patch_);
    BDELTA_TRY(patch_.status());
    if (target_bytes == 0 || target_bytes > header_.target_size - target_pos) {
      return Error{ErrorCode::kPatchCorrupt, "a group reaches beyond the size of NEW", patch_.position()};
    }
    if (body_bytes > header_.group_bytes) {
      return Error{ErrorCode::kPatchCorrupt, "a group is larger than the header allows", patch_.position()};
    }
    CoverStreams* const covers = kind == GroupKind::kContents ? &*cover_streams_ : nullptr;
    if (covers) covers->begin_group();
    group_ = std::make_unique<GroupReader>(patch_, room_, body_bytes, kind, covers);
    diagonal_ = 0;
    source_end_ = kNoSource;
    ++group_count_;
    BDELTA_TRY(group_->open(target_bytes));
    return target_pos + target_bytes;
  }

  Result<bool> finish() {
    if (target_pos_ != header_.target_size) {
      return Error{ErrorCode::kPatchCorrupt, "it ends after " + std::to_string(target_pos_) + " of " +
                                                 std::to_string(header_.target_size) + " bytes of NEW", patch_.position()};
    }
    if (!patch_.at_end()) {
      return Error{ErrorCode::kPatchTrailingBytes, "it may have been joined with another",
                   patch_.position()};
    }
    BDELTA_TRY(patch_.status());
    return false;
  }

  io::TypedReader& patch_;
  const Header header_;
  Header room_;  // the same, but for the decoder memory that is left
  PatchInfo info_;
  Fills fills_;
  MovedNumbers moved_numbers_;
  std::optional<WordMap> words_;
  std::optional<PredictionPlan> plan_;
  std::uint64_t plan_pos_ = 0;  // of the target, where the covers read so far end
  std::optional<CoverStreams> cover_streams_;  // once the plan is whole
  std::unique_ptr<GroupReader> group_;
  StreamBytes streams_;
  std::int64_t diagonal_ = 0;
  std::uint64_t source_end_ = kNoSource;  // behind what the window before took in its last copy, if it ended with one
  std::uint64_t group_count_ = 0;
  std::uint64_t target_pos_ = 0;
};

}  // namespace

bool detect(ByteSpan first_bytes) noexcept {
  return first_bytes.size() >= 5 && std::equal(std::begin(kMagic), std::end(kMagic), first_bytes.begin()) &&
         load_le<std::uint16_t>(first_bytes.data() + 3) == kVersion;
}

Result<std::unique_ptr<PatchReader>> open(io::TypedReader& patch, std::uint64_t memory_limit_bytes) {
  BDELTA_ASSIGN(const Head head, read_head(patch, memory_limit_bytes));
  return std::unique_ptr<PatchReader>(std::make_unique<Reader>(patch, head));
}

}  // namespace bdelta::native
