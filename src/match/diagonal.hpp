// The cheapest pass: what stands at the same distance from the start, or from the end, in both files.
#pragma once

#include "bdelta/io.hpp"
#include "delta/cover.hpp"
#include "match/params.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// Covers of the target on the diagonals 0 and source - target size, at compare speed. Only long, sure ground is taken:
// the passes behind fill the rest.
[[nodiscard]] Covers cover_diagonals(ByteSpan source, ByteSpan target, const MatchParams& params, WorkerPool& pool);

}  // namespace bdelta
