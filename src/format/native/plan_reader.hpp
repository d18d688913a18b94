// What stands in front of the windows of a patch: the plan, record by record, with the covers that prediction is about.
#pragma once

#include <algorithm>

#include "format/apply_plan.hpp"
#include "format/native/open_record.hpp"

namespace bdelta::native {

class PlanReader {
 public:
  // `record` is at the first record behind the head; it must outlive the object.
  PlanReader(OpenRecord& record, const Header& header) : record_(record), header_(header) { take_memory(header_.history_bytes); }

  // The next record. Where the windows begin it stays, and the plan is whole.
  Status read_record();
  [[nodiscard]] bool is_whole() const noexcept { return is_whole_; }

  [[nodiscard]] const ApplyPlan& plan() const noexcept { return plan_; }
  [[nodiscard]] bool is_of_tree() const noexcept { return has(kFeatureTree); }

  // The header of the patch, with the sizes that windows are about and the decoder memory that is left.
  [[nodiscard]] const Header& header() const noexcept { return header_; }

  // What predicted windows copy, once the plan is whole; null without prediction.
  [[nodiscard]] CoverStreams* cover_streams() noexcept { return cover_streams_ ? &*cover_streams_ : nullptr; }

 private:
  [[nodiscard]] bool has(std::uint64_t feature) const noexcept { return (header_.required_features & feature) != 0; }

  // What is held for good is not there for what comes later.
  void take_memory(std::uint64_t bytes) noexcept {
    header_.decoder_memory_bytes -= std::min(header_.decoder_memory_bytes, bytes);
  }

  [[nodiscard]] bool may_have(RecordTag tag) const noexcept;
  Status read_record(RecordTag tag);
  Status read_covers();
  Status finish();
  [[nodiscard]] Error lacks(const char* what) const;

  OpenRecord& record_;
  Header header_;
  ApplyPlan plan_;
  RecordTag last_tag_ = RecordTag::kEnd;  // of the record that was read last
  bool is_whole_ = false;
  std::uint64_t covers_end_ = 0;  // in the target, of the covers read so far
  std::optional<CoverStreams> cover_streams_;
};

}  // namespace bdelta::native
