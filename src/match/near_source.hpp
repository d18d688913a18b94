// Where in the source a stretch of the target has its likeness.
//
// Where memory is short a stretch is compared with part of the source alone. The covers of the fast search say which part:
// they are few and scattered where files differ, but each lies among bytes that the stretch resembles. So the source is
// counted in blocks of 1 MiB by covered bytes, with a margin on both sides of each cover, and the fullest blocks are taken.
#pragma once

#include "delta/cover.hpp"
#include "match/byte_range.hpp"

namespace bdelta {

// The blocks of the source that `covers` lie in or close to, as ranges in ascending order. Those with the most
// covered bytes come first, until they hold max_bytes or none is left. Never empty for a source that is not.
[[nodiscard]] ByteRanges near_source(const Covers& covers, std::uint64_t source_size, std::uint64_t max_bytes);

}  // namespace bdelta
