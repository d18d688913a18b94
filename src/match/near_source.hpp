// Where in the source a stretch of the target has its likeness.
#pragma once

#include "delta/cover.hpp"
#include "match/byte_range.hpp"

namespace bdelta {

// The blocks of the source that `covers` lie in or close to, those with the most covered bytes first, until they hold
// max_bytes or none is left; as ranges in ascending order. Never empty for a source that is not.
[[nodiscard]] ByteRanges near_source(const Covers& covers, std::uint64_t source_size, std::uint64_t max_bytes);

}  // namespace bdelta
