// Gap passes: a second look at what the scan left uncovered, with every source position and shorter keys.
#pragma once

#include "bdelta/io.hpp"
#include "delta/cover.hpp"
#include "match/params.hpp"
#include "match/byte_range.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// A bounded pass gives no more than one cover for so many bytes of a gap.
inline constexpr std::uint64_t kGapBytesPerCover = 24;

// What of the source a pass looks at, and in how much memory. By default in all of it, in as much as it takes.
struct GapScope {
  ByteRanges ranges;
  std::uint64_t memory_bytes = 0;   // of filter, table and candidates together; at least 4 MiB, or 0 = no limit
  std::uint64_t bytes_per_cover = 0;  // of a gap, at least, beyond a first cover in each; 0 = no limit
};

// Fills the gaps between `covers` with further ones found by keys of `span` bytes (8 to 32).
void fill_gaps(ByteSpan source, ByteSpan target, const MatchParams& params, unsigned span, WorkerPool& pool,
               Covers& covers, const GapScope& scope = {});

}  // namespace bdelta
