// Whether streams of a group are packed by the context coder: where that saves enough bytes for the time it takes.
#pragma once

#include "format/native/group_choice.hpp"

namespace bdelta::native {

// The streams that may be packed, as bits: residual values only where there are no more than most_values.
[[nodiscard]] unsigned streams_to_pack(const GroupDraft& draft, std::uint64_t most_values) noexcept;

// Those of `streams` packed, to see what each costs.
[[nodiscard]] PackedGroup pack_trial(const GroupDraft& draft, unsigned streams, Watch* watch);

// Whether no slow codec can be expected to make a stream smaller than the trial does, where a fast one has coded it.
[[nodiscard]] bool is_far_ahead(const GroupDraft& draft, const GroupChoices& made, std::size_t stream,
                                const WriterSettings& settings);

// The numbers of a draft packed, where that is smaller than `streams`.
[[nodiscard]] std::optional<PackedGroup> pack_smallest(const GroupDraft& draft, const WriterSettings& settings, Watch* watch,
                                                       const std::vector<CodedStream>& streams);

// What a stream costs in the cheaper of its forms without modelled bytes.
[[nodiscard]] std::uint64_t stream_cost(const GroupChoices& made, std::size_t stream) noexcept;

// Drops the trial or makes it the group's packed form, whichever gives fewer bytes in the patch. Streams that are
// smaller packed, but take too long for it, are not.
void assemble_smallest(const GroupDraft& draft, const WriterSettings& settings, Watch* watch, GroupChoices& made);

}  // namespace bdelta::native
