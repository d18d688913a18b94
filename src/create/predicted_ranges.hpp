// Which stretches of the target are predicted: whole windows, as a bit of each says it.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "create/group_outline.hpp"
#include "delta/cover.hpp"
#include "exe/image.hpp"

namespace bdelta {

// Stretches of a target of so many bytes in which images lie, which ascend. Those that are close to each other are one.
[[nodiscard]] TargetRanges image_ranges(const std::vector<exe::Image>& images, std::uint64_t target_size);

// What the ranges, which ascend and are apart, leave of the target.
[[nodiscard]] TargetRanges outside_of(const TargetRanges& ranges, std::uint64_t target_size);

// What of the covers lies in the ranges, cut where these end.
[[nodiscard]] Covers covers_in(const TargetRanges& ranges, const Covers& covers);

// Two sets of covers that share no byte of the target, as one.
[[nodiscard]] Covers merged(const Covers& some, const Covers& others);

}  // namespace bdelta
