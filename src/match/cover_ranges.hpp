// Covers of some stretches of the target, and of what lies between these.
#pragma once

#include "delta/cover.hpp"
#include "match/byte_range.hpp"

namespace bdelta {

// What the ranges, which ascend and are apart, leave of the target.
[[nodiscard]] ByteRanges outside_of(const ByteRanges& ranges, std::uint64_t target_size);

// What of the covers lies in the ranges, cut where these end.
[[nodiscard]] Covers covers_in(const ByteRanges& ranges, const Covers& covers);

// Two sets of covers that share no byte of the target, as one.
[[nodiscard]] Covers merged(const Covers& some, const Covers& others);

}  // namespace bdelta
