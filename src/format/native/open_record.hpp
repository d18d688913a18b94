// The record of a patch that is being read, the group in it if it has one, and what a meter is told of both.
#pragma once

#include <memory>
#include <optional>

#include "format/native/group_reader.hpp"
#include "format/native/record_body.hpp"
#include "format/native/record_stream.hpp"

namespace bdelta::native {

class OpenRecord {
 public:
  // `patch` stands in front of a record. It and the header must outlive the object.
  OpenRecord(io::TypedReader& patch, const Header& header) : patch_(patch), records_(patch, header) {}

  // The meter must outlive the object. What is in front of the records is told at once.
  void measure(PatchMeter& meter);

  // Of the record that has not been dealt with yet. Its body begins where body() stands.
  Result<RecordTag> next_tag();
  [[nodiscard]] io::TypedReader& body() noexcept { return body_; }
  [[nodiscard]] Error misplaced(RecordTag tag) const { return misplaced_record(tag, records_.body_pos()); }

  // Opens the group in this record, which begins at target_pos. `header` says what is left of decoder memory, and how large the
  // target is; it and the covers, which may be null, must outlive the group. Gives where the group ends in the target.
  Result<std::uint64_t> open_group(GroupKind kind, std::uint64_t target_pos, const Header& header, CoverStreams* covers);
  [[nodiscard]] GroupReader* group() const noexcept { return group_.get(); }

  // Behind the last window of a group, which made or stood for what is between these. The record is to be closed then.
  Status close_group(std::uint64_t target_pos, std::uint64_t target_end);

  // Behind a record that has been read.
  Status close();

  // Behind the end record: nothing follows it.
  Status finish();

 private:
  void tell(RecordTag tag);

  io::TypedReader& patch_;
  RecordStream records_;
  io::TypedReader body_{records_, io::TypedReader::kDefaultBufferBytes, ErrorCode::kPatchCorrupt};
  std::optional<RecordTag> tag_;
  std::unique_ptr<GroupReader> group_;
  PatchMeter* meter_ = nullptr;
  std::uint64_t measured_pos_ = 0;  // of the patch, up to where the meter knows of it
  MeteredGroup measured_;
};

}  // namespace bdelta::native
