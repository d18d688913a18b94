// Gap passes: a second look at what the scan left uncovered, with every source position and shorter keys.
#pragma once

#include "bdelta/io.hpp"
#include "delta/cover.hpp"
#include "match/params.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// Fills the gaps between `covers` with further ones found by keys of `span` bytes (8 to 32).
void fill_gaps(ByteSpan source, ByteSpan target, const MatchParams& params, unsigned span, WorkerPool& pool,
               Covers& covers);

}  // namespace bdelta
