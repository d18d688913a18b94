#include "format/native/reader.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "base/try.hpp"
#include "format/native/fill_record.hpp"
#include "format/native/global_record.hpp"
#include "format/native/group_reader.hpp"
#include "format/native/head_reader.hpp"
#include "format/native/moved_number_record.hpp"
#include "format/native/record_body.hpp"
#include "format/native/record_check.hpp"
#include "format/native/record_stream.hpp"
#include "format/native/tree_record.hpp"
#include "format/native/view_record.hpp"
#include "format/native/substitution_record.hpp"
#include "model/window_decoder.hpp"

namespace bdelta::native {
namespace {

class Reader final : public PatchReader {
 public:
  Reader(io::TypedReader& patch, const Head& head) : patch_(patch), head_(head), room_(head.header) {
    take_memory(header_.history_bytes);
    info_.version = kVersion;
    info_.draft = kDraft;
    info_.source_size = header_.source_size;
    info_.target_size = header_.target_size;
    info_.source_digest = header_.source_digest;
    info_.target_digest = header_.target_digest;
    info_.required_features = header_.required_features;
    info_.predicted = (header_.required_features & kFeaturePrediction) != 0;
    info_.of_tree = is_tree();
    info_.unpacked = (header_.required_features & kFeatureView) != 0;
    info_.optional_features = header_.optional_features;
    info_.window_bytes = header_.window_bytes;
    info_.group_bytes = header_.group_bytes;
    info_.decoder_memory_bytes = header_.decoder_memory_bytes;
    info_.history_bytes = header_.history_bytes;
    info_.head_sha256 = head.head_sha256;
  }

  [[nodiscard]] const PatchInfo& info() const noexcept override { return info_; }

  void measure(PatchMeter& meter) override {
    meter_ = &meter;
    measured_pos_ = patch_.position();
    meter.part("header", measured_pos_);
  }

  Result<bool> verify() override {
    BDELTA_TRY(check_records(patch_, head_));
    target_pos_ = header_.target_size;
    BDELTA_TRY(finish());
    return true;
  }

  Result<const view::TreePlan*> read_tree() override {
    if (is_tree() && !plan_.tree) BDELTA_TRY(read_plan_record());
    return plan_.tree ? &*plan_.tree : nullptr;
  }

  Result<const ApplyPlan*> read_plan() override {
    BDELTA_TRY(read_plan_record());
    return plan_is_whole_ ? &plan_ : nullptr;
  }

  Result<bool> next(WindowDelta& window) override {
    while (!plan_is_whole_) BDELTA_TRY(read_plan_record());
    try {
      while (!group_ || group_->at_end()) {
        if (group_) BDELTA_TRY(close_group());
        BDELTA_ASSIGN(const bool more, next_group());
        if (!more) return false;
      }
      BDELTA_ASSIGN(const WindowRecord record, group_->next(target_pos_, diagonal_, streams_));
      window.target_pos = target_pos_;
      BDELTA_TRY(decode_window(record, streams_, diagonal_, window));
      if (!record.plain) tell_target_copies(window);
      window.substitutions = plan_.substitutions && !record.plain ? &*plan_.substitutions : nullptr;
      place_code(window);
      target_pos_ += window.target_length;
      return true;
    } catch (const std::bad_alloc&) {
      return Error{ErrorCode::kOutOfMemory, "while decoding the patch"};
    }
  }

 private:
  [[nodiscard]] static bool begins_target(RecordTag tag) noexcept { return tag == RecordTag::kGroup || tag == RecordTag::kEnd; }

  // Of the record that is not dealt with yet. Its body begins where body_ stands.
  Result<RecordTag> next_tag() {
    if (!opened_) {
      BDELTA_ASSIGN(opened_, records_.open());
      body_.resume_at(records_.body_pos());
    }
    return *opened_;
  }

  // The next record, unless the windows begin there.
  Status read_plan_record() {
    try {
      BDELTA_ASSIGN(const RecordTag tag, next_tag());
      if (begins_target(tag)) return finish_plan();
      if (!may_follow(tag, last_tag_)) return misplaced(tag);
      if (is_tree() && !plan_.tree && tag != RecordTag::kTree) return misplaced(tag);
      if (unpacks() && plan_.views.empty() && tag != RecordTag::kView && tag != RecordTag::kTree) return misplaced(tag);
      last_tag_ = tag;
      BDELTA_TRY(read_plan_record(tag));
      return close_record();
    } catch (const std::bad_alloc&) {
      return Error{ErrorCode::kOutOfMemory, "while decoding the patch"};
    }
  }

  // Behind a record that has been read.
  Status close_record() {
    BDELTA_TRY(body_.status());
    if (!body_.at_end()) return corrupt_record(body_, "a record", "goes on behind what it has to hold");
    BDELTA_TRY(body_.status());
    if (meter_) tell(*opened_);
    opened_.reset();
    return {};
  }

  // The record that has been read, whose group is measured if it has one.
  void tell(RecordTag tag) {
    const std::uint64_t bytes = patch_.position() - std::exchange(measured_pos_, patch_.position());
    if (tag == RecordTag::kGroup || tag == RecordTag::kCovers) {
      measured_.patch_bytes = bytes;
      meter_->group(measured_);
    } else {
      meter_->part(name_of(tag), bytes);
    }
  }

  [[nodiscard]] static const char* name_of(RecordTag tag) noexcept {
    switch (tag) {
      case RecordTag::kView: return "view";
      case RecordTag::kTree: return "tree";
      case RecordTag::kFills: return "fills";
      case RecordTag::kMovedNumbers: return "moved numbers";
      case RecordTag::kSubstitutions: return "substitutions";
      case RecordTag::kGlobal: return "prediction";
      default: return "header";
    }
  }

  // Of a group that has been read, which made or told of what is between these.
  Status close_frames(std::uint64_t target_pos, std::uint64_t target_end) {
    BDELTA_TRY(group_->close());
    group_->measure(measured_);
    measured_.target_pos = target_pos;
    measured_.target_bytes = target_end - target_pos;
    group_.reset();
    return {};
  }

  Status close_group() {
    BDELTA_TRY(close_frames(group_pos_, target_pos_));
    return close_record();
  }

  // What is held for good is not there for what comes later.
  void take_memory(std::uint64_t bytes) noexcept {
    room_.decoder_memory_bytes -= std::min(room_.decoder_memory_bytes, bytes);
  }

  Status read_plan_record(RecordTag tag) {
    switch (tag) {
      case RecordTag::kTree: return read_tree_record();
      case RecordTag::kView: return read_view_record();
      case RecordTag::kFills: return read_fill_record();
      case RecordTag::kMovedNumbers: return read_moved_number_record();
      case RecordTag::kSubstitutions: return read_substitution_record();
      case RecordTag::kGlobal: return read_global_record();
      case RecordTag::kCovers: return read_covers();
      default: return misplaced(tag);
    }
  }

  [[nodiscard]] bool unpacks() const noexcept { return (header_.required_features & kFeatureView) != 0; }

  [[nodiscard]] bool is_tree() const noexcept { return (header_.required_features & kFeatureTree) != 0; }

  // From here on NEW is its stream without the files that are kept.
  Status read_tree_record() {
    if (!is_tree()) return misplaced(RecordTag::kTree);
    BDELTA_ASSIGN(plan_.tree, native::read_tree(body_, room_));
    take_memory(held_bytes(*plan_.tree));
    header_.target_size = room_.target_size = plan_.tree->made_bytes;
    info_.tree = {plan_.tree->entry_count, plan_.tree->files.kept, plan_.tree->files.changed, plan_.tree->files.added,
                  plan_.tree->files.removed, plan_.tree->made_bytes, plan_.tree->has_times, plan_.tree->source_list.has_value(),
                  plan_.tree->excluded};
    return {};
  }

  // From here on all is about the views.
  Status read_view_record() {
    if (!unpacks()) return misplaced(RecordTag::kView);
    BDELTA_ASSIGN(plan_.views, native::read_view(body_, room_));
    take_memory(held_bytes(plan_.views));
    header_.source_size = room_.source_size = plan_.views.back().source_view_bytes;
    header_.target_size = room_.target_size = plan_.views.back().target_view_bytes;
    return {};
  }

  Status read_fill_record() {
    BDELTA_ASSIGN(plan_.fills, read_fills(body_, room_));
    take_memory(held_bytes(plan_.fills));
    return {};
  }

  Status read_moved_number_record() {
    if (info_.predicted) return misplaced(RecordTag::kMovedNumbers);
    BDELTA_ASSIGN(plan_.moved_numbers, read_moved_numbers(body_, room_));
    take_memory(plan_.moved_numbers.held_bytes());
    return {};
  }

  Status read_substitution_record() {
    BDELTA_ASSIGN(SubstitutionTable substitutions, read_substitutions(body_, room_));
    plan_.substitutions.emplace(std::move(substitutions));
    take_memory(plan_.substitutions->memory_bytes());
    return {};
  }

  Status read_global_record() {
    if (!info_.predicted) return misplaced(RecordTag::kGlobal);
    PredictionPlan plan;
    plan.memory_bytes = room_.decoder_memory_bytes;
    BDELTA_TRY(read_global(body_, room_, plan));
    plan_.prediction = std::move(plan);
    take_memory(plan_.prediction->images.size() + plan_.prediction->labels.size());
    return {};
  }

  // One group of covers. What they take together is held below what the header declares.
  Status read_covers() {
    if (!plan_.prediction) return misplaced(RecordTag::kCovers);
    const std::uint64_t begin = plan_pos_;
    BDELTA_ASSIGN(const std::uint64_t end, open_group(GroupKind::kCovers, plan_pos_));
    Covers& covers = plan_.prediction->covers;
    while (!group_->at_end()) {
      BDELTA_ASSIGN(const WindowRecord record, group_->next(plan_pos_, diagonal_, streams_));
      if (record.copy_count > room_.decoder_memory_bytes / sizeof(Cover) - covers.size()) {
        return Error{ErrorCode::kPatchCorrupt, "its covers need more memory than the header declares", body_.position()};
      }
      BDELTA_TRY(decode_covers(record, streams_, plan_pos_, diagonal_, covers));
      plan_pos_ += record.target_length;
    }
    BDELTA_TRY(close_frames(begin, plan_pos_));
    return plan_pos_ == end ? Status() : Status(Error{ErrorCode::kInternal, "a group of covers lacks windows"});
  }

  Status finish_plan() {
    plan_is_whole_ = true;
    if (is_tree() && !plan_.tree) {
      return Error{ErrorCode::kPatchCorrupt, "expected what the header declares of trees in front of all else", body_.position()};
    }
    if (unpacks() && plan_.views.empty()) {
      return Error{ErrorCode::kPatchCorrupt, "expected what the header declares of views in front of all else", body_.position()};
    }
    if (info_.predicted && (!plan_.prediction || plan_pos_ != header_.target_size)) {
      return Error{ErrorCode::kPatchCorrupt, "expected what the header declares of prediction in front of the first group",
                   body_.position()};
    }
    if (!plan_.prediction) return {};
    if (!covers_are_valid(plan_.prediction->covers, header_.source_size, header_.target_size)) {
      return Error{ErrorCode::kOpOutOfRange, "covers reach beyond OLD or NEW", body_.position()};
    }
    take_memory(plan_.prediction->covers.size() * sizeof(Cover));
    cover_streams_.emplace(plan_.prediction->covers);
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

  void place_code(WindowDelta& window) {
    window.modelled = group_->modelled_part();
    window.code.clear();
    if (window.modelled) {
      window.code.swap(streams_[kModelledCode]);
      window.modelled->group = group_count_;
      window.modelled->source_before = source_end_;
    }
    const DeltaOp& last = window.ops.back();
    source_end_ = last.kind == OpKind::kCopy ? last.source_pos + last.length : kNoSource;
  }

  [[nodiscard]] Error misplaced(RecordTag tag) const { return misplaced_record(tag, records_.body_pos()); }

  Result<bool> next_group() {
    BDELTA_ASSIGN(const RecordTag tag, next_tag());
    if (tag == RecordTag::kEnd) return finish();
    if (tag != RecordTag::kGroup) return misplaced(tag);
    group_pos_ = target_pos_;
    BDELTA_TRY(open_group(GroupKind::kWhole, target_pos_));
    return true;
  }

  // Opens the group in the record at hand, which begins at target_pos; gives where it ends.
  Result<std::uint64_t> open_group(GroupKind kind, std::uint64_t target_pos) {
    const std::uint64_t target_bytes = body_.varint();
    BDELTA_TRY(body_.status());
    if (target_bytes == 0 || target_bytes > header_.target_size - target_pos) {
      return Error{ErrorCode::kPatchCorrupt, "a group reaches beyond the size of NEW", body_.position()};
    }
    CoverStreams* const covers = cover_streams_ ? &*cover_streams_ : nullptr;
    group_ = std::make_unique<GroupReader>(body_, room_, records_.body_end(), kind, covers);
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
    if (meter_) tell(RecordTag::kEnd);
    return false;
  }

  io::TypedReader& patch_;
  const Head head_;
  Header header_ = head_.header;  // its sizes are those of the views, once these are known
  RecordStream records_{patch_, header_};
  io::TypedReader body_{records_, io::TypedReader::kDefaultBufferBytes, ErrorCode::kPatchCorrupt};  // of the record at hand
  std::optional<RecordTag> opened_;       // its tag
  RecordTag last_tag_ = RecordTag::kEnd;  // of the record before the first group that was read last
  bool plan_is_whole_ = false;
  Header room_;  // the same, but for the decoder memory that is left
  PatchInfo info_;
  ApplyPlan plan_;
  std::uint64_t plan_pos_ = 0;  // of the target, where the covers read so far end
  std::optional<CoverStreams> cover_streams_;  // once the plan is whole
  std::unique_ptr<GroupReader> group_;
  StreamBytes streams_;
  std::int64_t diagonal_ = 0;
  std::uint64_t source_end_ = kNoSource;  // behind what the window before took in its last copy, if it ended with one
  std::uint64_t group_count_ = 0;
  std::uint64_t target_pos_ = 0;
  std::uint64_t group_pos_ = 0;  // of the target, where the group at hand begins
  PatchMeter* meter_ = nullptr;
  std::uint64_t measured_pos_ = 0;  // of the patch, what has been told
  MeteredGroup measured_;
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
