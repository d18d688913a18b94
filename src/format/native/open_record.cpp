#include "format/native/open_record.hpp"

#include <utility>

#include "base/try.hpp"

namespace bdelta::native {
namespace {

const char* name_of(RecordTag tag) noexcept {
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

}  // namespace

void OpenRecord::measure(PatchMeter& meter) {
  meter_ = &meter;
  measured_pos_ = patch_.position();
  meter.part("header", measured_pos_);
}

Result<RecordTag> OpenRecord::next_tag() {
  if (!tag_) {
    BDELTA_ASSIGN(tag_, records_.open());
    body_.resume_at(records_.body_pos());
  }
  return *tag_;
}

Result<std::uint64_t> OpenRecord::open_group(GroupKind kind, std::uint64_t target_pos, const Header& header,
                                             CoverStreams* covers) {
  const std::uint64_t target_bytes = body_.varint();
  BDELTA_TRY(body_.status());
  if (target_bytes == 0 || target_bytes > header.target_size - target_pos) {
    return Error{ErrorCode::kPatchCorrupt, "a group reaches beyond the size of NEW", body_.position()};
  }
  group_ = std::make_unique<GroupReader>(body_, header, records_.body_end(), kind, covers);
  BDELTA_TRY(group_->open(target_bytes));
  return target_pos + target_bytes;
}

Status OpenRecord::close_group(std::uint64_t target_pos, std::uint64_t target_end) {
  BDELTA_TRY(group_->close());
  group_->measure(measured_);
  measured_.target_pos = target_pos;
  measured_.target_bytes = target_end - target_pos;
  group_.reset();
  return {};
}

Status OpenRecord::close() {
  BDELTA_TRY(body_.status());
  if (!body_.at_end()) return corrupt_record(body_, "a record", "goes on behind what it has to hold");
  BDELTA_TRY(body_.status());
  if (meter_) tell(*tag_);
  tag_.reset();
  return {};
}

void OpenRecord::tell(RecordTag tag) {
  const std::uint64_t bytes = patch_.position() - std::exchange(measured_pos_, patch_.position());
  if (tag == RecordTag::kGroup || tag == RecordTag::kCovers) {
    measured_.patch_bytes = bytes;
    meter_->group(measured_);
  } else {
    meter_->part(name_of(tag), bytes);
  }
}

Status OpenRecord::finish() {
  if (!patch_.at_end()) {
    return Error{ErrorCode::kPatchTrailingBytes, "it may have been joined with another", patch_.position()};
  }
  BDELTA_TRY(patch_.status());
  if (meter_) tell(RecordTag::kEnd);
  return {};
}

}  // namespace bdelta::native
