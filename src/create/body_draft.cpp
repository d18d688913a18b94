#include "create/body_draft.hpp"

#include <algorithm>

#include "base/deciding/choosing.hpp"

namespace bdelta {
std::uint64_t BodyDraft::stream_bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const GroupDraft& draft : groups) bytes += draft.stream_bytes();
  return bytes;
}

bool BodyDraft::copies_target() const noexcept {
  return std::any_of(groups.begin(), groups.end(), [](const GroupDraft& draft) { return draft.copies_target; });
}

bool BodyDraft::is_long() const noexcept { return stream_bytes() > kLongStreamBytes; }

bool CodedBody::has_modelled_misses() const noexcept {
  return std::any_of(groups.choices.begin(), groups.choices.end(),
                     [](const native::GroupChoices& made) { return made.modelled_bytes[kResidualGaps] > 0; });
}

CodingBytes streams_of(const std::vector<GroupDraft>& groups) noexcept {
  CodingBytes bytes;
  for (const GroupDraft& group : groups) {
    const std::uint64_t literals = group.streams[kLiterals].size();
    bytes += {literals, group.stream_bytes() - literals};
  }
  return bytes;
}

std::uint64_t coding_units(const std::vector<GroupDraft>& groups, bool models) noexcept {
  std::uint64_t units = 0;
  for (const GroupDraft& group : groups) {
    const std::uint64_t literals = group.streams[kLiterals].size();
    units += group.stream_bytes() + (models ? group.stream_bytes() - literals : 0);
    if (is_mostly_open(literals, group.target.size())) units += group.target.size();
  }
  return units;
}

}  // namespace bdelta
