#include "create/group_joiner.hpp"

#include <utility>

#include "create/group_outline.hpp"
#include "format/native/layout.hpp"

namespace bdelta {
namespace {

constexpr std::size_t kMaxJoinedWindows = native::kMaxGroupWindows / 2;

}  // namespace

// A group that has its measure is not joined by what would fit beside, so that groups are those of the outline where the
// outline saw all of them.
bool GroupJoiner::fits(const GroupDraft& next) const {
  const GroupDraft& group = open_.front();
  return group.coded_bytes < limits_.coded_bytes && group.coded_bytes + next.coded_bytes <= limits_.coded_bytes &&
         group.stream_bytes() + next.stream_bytes() <= limits_.stream_bytes &&
         group.segment_count + next.segment_count <= kMaxGroupSegments &&
         group.windows.size() + next.windows.size() <= kMaxJoinedWindows;
}

std::vector<GroupDraft> GroupJoiner::add(std::vector<GroupDraft> drafts) {
  std::vector<GroupDraft> complete;
  for (GroupDraft& draft : drafts) {
    if (!open_.empty() && fits(draft)) {
      join_drafts(open_.front(), std::move(draft));
      continue;
    }
    if (!open_.empty()) complete.push_back(std::move(open_.front()));
    open_.clear();
    open_.push_back(std::move(draft));
  }
  return complete;
}

std::vector<GroupDraft> GroupJoiner::finish() { return std::exchange(open_, {}); }

void GroupJoiner::forget_target() noexcept {
  for (GroupDraft& group : open_) group.target = {};
}

}  // namespace bdelta
