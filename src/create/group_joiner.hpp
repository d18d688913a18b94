// Groups that grow over the borders of what is encoded at a time.
#pragma once

#include "format/native/writer.hpp"

namespace bdelta {

// When a group is closed.
struct GroupLimits {
  std::uint64_t coded_bytes = 0;   // of target, in windows that are not plain
  std::uint64_t stream_bytes = 0;  // before compression
};

// Joins drafts, in target order, to groups as large as the limits allow, and hands groups that are complete to a writer.
class GroupJoiner {
 public:
  GroupJoiner(const GroupLimits& limits, native::Writer& writer) : limits_(limits), writer_(writer) {}

  // Takes all drafts; the last group stays open.
  Status add(std::vector<GroupDraft> drafts);

  // Closes the last group.
  Status finish();

 private:
  [[nodiscard]] bool fits(const GroupDraft& next) const;

  const GroupLimits limits_;
  native::Writer& writer_;
  std::vector<GroupDraft> open_;  // none or one
};

}  // namespace bdelta
