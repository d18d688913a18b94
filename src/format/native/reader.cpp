#include "format/native/reader.hpp"

#include <algorithm>
#include <new>
#include <string>

#include "base/try.hpp"
#include "format/native/head_reader.hpp"
#include "format/native/plan_reader.hpp"
#include "format/native/record_check.hpp"
#include "model/window_decoder.hpp"

namespace bdelta::native {
namespace {

PatchInfo info_of(const Head& head) {
  const Header& header = head.header;
  PatchInfo info;
  info.version = kVersion;
  info.draft = kDraft;
  info.source_size = header.source_size;
  info.target_size = header.target_size;
  info.source_digest = header.source_digest;
  info.target_digest = header.target_digest;
  info.required_features = header.required_features;
  info.predicted = (header.required_features & kFeaturePrediction) != 0;
  info.of_tree = (header.required_features & kFeatureTree) != 0;
  info.unpacked = (header.required_features & kFeatureView) != 0;
  info.optional_features = header.optional_features;
  info.window_bytes = header.window_bytes;
  info.group_bytes = header.group_bytes;
  info.decoder_memory_bytes = header.decoder_memory_bytes;
  info.history_bytes = header.history_bytes;
  info.head_sha256 = head.head_sha256;
  return info;
}

class Reader final : public PatchReader {
 public:
  Reader(io::TypedReader& patch, const Head& head)
      : patch_(patch), head_(head), record_(patch, head_.header), plan_(record_, head_.header), info_(info_of(head_)) {}

  [[nodiscard]] const PatchInfo& info() const noexcept override { return info_; }

  void measure(PatchMeter& meter) override { record_.measure(meter); }

  Result<bool> verify() override {
    BDELTA_TRY(check_records(patch_, head_));
    BDELTA_TRY(record_.finish());
    return true;
  }

  Result<const view::TreePlan*> read_tree() override {
    if (plan_.is_of_tree() && !plan_.plan().tree) BDELTA_TRY(read_plan_record());
    return plan_.plan().tree ? &*plan_.plan().tree : nullptr;
  }

  Result<const ApplyPlan*> read_plan() override {
    BDELTA_TRY(read_plan_record());
    return plan_.is_whole() ? &plan_.plan() : nullptr;
  }

  Result<bool> next(WindowDelta& window) override {
    while (!plan_.is_whole()) BDELTA_TRY(read_plan_record());
    try {
      while (!record_.group() || record_.group()->at_end()) {
        if (record_.group()) BDELTA_TRY(close_group());
        BDELTA_ASSIGN(const bool more, next_group());
        if (!more) return false;
      }
      BDELTA_TRY(decode_next(window));
      return true;
    } catch (const std::bad_alloc&) {
      return Error{ErrorCode::kOutOfMemory, "while decoding the patch"};
    }
  }

 private:
  Status read_plan_record() {
    BDELTA_TRY(plan_.read_record());
    if (plan_.plan().tree) {
      const view::TreePlan& tree = *plan_.plan().tree;
      info_.tree = {tree.entry_count, tree.files.kept, tree.files.changed, tree.files.added, tree.files.removed,
                    tree.made_bytes, tree.has_times, tree.source_list.has_value(), tree.excluded};
    }
    return {};
  }

  Result<bool> next_group() {
    BDELTA_ASSIGN(const RecordTag tag, record_.next_tag());
    if (tag == RecordTag::kEnd) return finish();
    if (tag != RecordTag::kGroup) return record_.misplaced(tag);
    group_pos_ = target_pos_;
    diagonal_ = 0;
    source_end_ = kNoSource;
    ++group_count_;
    BDELTA_TRY(record_.open_group(GroupKind::kWhole, target_pos_, plan_.header(), plan_.cover_streams()));
    return true;
  }

  Status close_group() {
    BDELTA_TRY(record_.close_group(group_pos_, target_pos_));
    return record_.close();
  }

  Status decode_next(WindowDelta& window) {
    BDELTA_ASSIGN(const WindowRecord record, record_.group()->next(target_pos_, diagonal_, streams_));
    window.target_pos = target_pos_;
    BDELTA_TRY(decode_window(record, streams_, diagonal_, window));
    if (!record.plain) mark_target_copies(window);
    const auto& substitutions = plan_.plan().substitutions;
    window.substitutions = substitutions && !record.plain ? &*substitutions : nullptr;
    place_code(window);
    target_pos_ += window.target_length;
    return {};
  }

  // What begins behind the end of the source is a place of the target.
  void mark_target_copies(WindowDelta& window) const noexcept {
    const Header& header = plan_.header();
    window.history_bytes = header.history_bytes;
    if ((header.required_features & kFeatureTargetCopies) == 0) return;
    for (DeltaOp& op : window.ops) {
      if (op.kind != OpKind::kCopy || op.source_pos < header.source_size) continue;
      op.kind = OpKind::kTargetCopy;
      op.source_pos -= header.source_size;
    }
  }

  void place_code(WindowDelta& window) {
    window.modelled = record_.group()->modelled_part();
    window.code.clear();
    if (window.modelled) {
      window.code.swap(streams_[kModelledCode]);
      window.modelled->group = group_count_;
      window.modelled->source_before = source_end_;
    }
    const DeltaOp& last = window.ops.back();
    source_end_ = last.kind == OpKind::kCopy ? last.source_pos + last.length : kNoSource;
  }

  Result<bool> finish() {
    const std::uint64_t target_size = plan_.header().target_size;
    if (target_pos_ != target_size) {
      return Error{ErrorCode::kPatchCorrupt, "it ends after " + std::to_string(target_pos_) + " of " +
                                                 std::to_string(target_size) + " bytes of NEW", patch_.position()};
    }
    BDELTA_TRY(record_.finish());
    return false;
  }

  io::TypedReader& patch_;
  const Head head_;
  OpenRecord record_;
  PlanReader plan_;
  PatchInfo info_;
  StreamBytes streams_;
  std::int64_t diagonal_ = 0;
  std::uint64_t source_end_ = kNoSource;  // behind what the window before took in its last copy, if it ended with one
  std::uint64_t group_count_ = 0;
  std::uint64_t target_pos_ = 0;
  std::uint64_t group_pos_ = 0;  // of the target, where the group at hand begins
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
