#include "create/body_draft.hpp"

#include <algorithm>

namespace bdelta {
namespace {

constexpr std::uint64_t kLongBytes = std::uint64_t{1} << 20;  // of streams that take half a second to code: an estimate must do

}  // namespace

std::uint64_t BodyDraft::stream_bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const GroupDraft& draft : groups) bytes += draft.stream_bytes();
  return bytes;
}

bool BodyDraft::copies_target() const noexcept {
  return std::any_of(groups.begin(), groups.end(), [](const GroupDraft& draft) { return draft.copies_target; });
}

bool BodyDraft::is_long() const noexcept { return stream_bytes() > kLongBytes; }

bool CodedBody::has_coded_misses() const noexcept {
  return std::any_of(groups.choices.begin(), groups.choices.end(),
                     [](const native::GroupChoices& made) { return made.contents_bytes[kResidualGaps] > 0; });
}

}  // namespace bdelta
