// Whether models code literals and misses of a group.
#pragma once

#include <span>

#include "format/native/group_choice.hpp"

namespace bdelta::native {

// Bytes that the model of misses must save for the time it takes when applying.
[[nodiscard]] std::uint64_t miss_price(const ModelledBytes& bytes, const WriterSettings& settings);

// What of a group is worth trying under models: literals and misses that may save enough for the time they add.
[[nodiscard]] ModelledScope scope_to_try(const GroupDraft& draft, const WriterSettings& settings);

// Whether misses of one of the groups may go through their model.
[[nodiscard]] bool tries_modelled_misses(std::span<const GroupDraft> drafts, const WriterSettings& settings);

// Whether they may make one of them smaller, told by a fast codec.
Result<bool> may_take_modelled_misses(std::span<const GroupDraft> drafts, const WriterSettings& settings, Watch* watch);

// Leaves misses out of made.modelled.scope where a fast codec, by which the residual has gone, leaves very little of
// it. The model would be too slow for so little even if it took nothing. To be called before any lane is coded.
void leave_out_hopeless_misses(const GroupDraft& draft, const WriterSettings& settings, GroupChoices& made);

// Whether the model of misses needs no comparing with slow codecs. Then what a fast one makes of the residual is much
// more than the model takes with the price of its time, so the model will be kept.
[[nodiscard]] bool are_misses_far_ahead(const GroupDraft& draft, const WriterSettings& settings, const GroupChoices& made);

// What is smaller under models than as streams; the lanes have that and no more afterwards.
Status keep_worthwhile_models(const GroupDraft& draft, const WriterSettings& settings, const ModelledInputs& inputs,
                                Watch* watch, GroupChoices& made);

// What a stream costs in the cheapest of its forms, once it is known which models are worthwhile.
[[nodiscard]] std::uint64_t cost_of(const GroupDraft& draft, const GroupChoices& made, std::size_t stream) noexcept;

// Takes the group with modelled bytes where that is smaller than what was chosen before.
Status assemble_with_models(const GroupDraft& draft, const WriterSettings& settings, Watch* watch, GroupChoices& made);

}  // namespace bdelta::native
