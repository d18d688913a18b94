// Whether the contents of a group are coded: by the slow models, or its literals by the light one.
#pragma once

#include "format/native/group_choice.hpp"

namespace bdelta::native {

// What of a group is worth trying in the contents coder: slow parts are not, where they are most of the group.
[[nodiscard]] ContentsScope scope_to_try(const GroupDraft& draft, std::uint64_t lane_bytes);

// Whether the light model may be tried, as it adds no more than light_ns to applying.
[[nodiscard]] bool try_light(const GroupDraft& draft, std::uint64_t light_ns);

// What it codes.
[[nodiscard]] constexpr ContentsScope light_scope() {
  ContentsScope scope;
  scope.literals = scope.light = true;
  return scope;
}

// What of the contents is smaller coded than as streams; the lanes have that and no more afterwards.
Status keep_worthwhile_contents(const GroupDraft& draft, const ContentsInputs& inputs, Watch* watch,
                                GroupChoices& made);

// What a stream costs in the cheapest of its forms, once it is known what of the contents is worthwhile.
[[nodiscard]] std::uint64_t cost_of(const GroupChoices& made, std::size_t stream) noexcept;

// Takes the group with its contents coded where that is smaller than what was chosen before.
void assemble_with_contents(const GroupDraft& draft, const WriterSettings& settings, Watch* watch, GroupChoices& made);

}  // namespace bdelta::native
