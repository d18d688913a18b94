// Groups that grow over the borders of what is encoded at a time.
#pragma once

#include "model/window_encoder.hpp"

namespace bdelta {

// When a group is closed.
struct GroupLimits {
  std::uint64_t coded_bytes = 0;   // of target, in windows that are not plain
  std::uint64_t stream_bytes = 0;  // before compression
};

// Joins drafts, in target order, to groups as large as the limits allow.
class GroupJoiner {
 public:
  explicit GroupJoiner(const GroupLimits& limits) : limits_(limits) {}

  // Takes all drafts and gives the groups that are complete; the last one stays open.
  [[nodiscard]] std::vector<GroupDraft> add(std::vector<GroupDraft> drafts);

  // The last group, if there is one.
  [[nodiscard]] std::vector<GroupDraft> finish();

  // To be called before the target bytes of what was added go away.
  void forget_target() noexcept;

 private:
  [[nodiscard]] bool fits(const GroupDraft& next) const;

  const GroupLimits limits_;
  std::vector<GroupDraft> open_;  // none or one
};

}  // namespace bdelta
