// Whether a gap pass is worth its time: asked before it, answered from samples.
#pragma once

#include "bdelta/io.hpp"
#include "delta/cover.hpp"
#include "match/byte_range.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// False if most of the target is uncovered and samples say that next to none of it (less than one position in 2000)
// stands anywhere in `ranges` of the source over `span` bytes, 8 to 32. True also wherever there is too little to tell.
[[nodiscard]] bool gaps_may_match(ByteSpan source, ByteSpan target, const Covers& covers, unsigned span,
                                  WorkerPool& pool, const ByteRanges& ranges = {});

}  // namespace bdelta
