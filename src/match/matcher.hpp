// The matcher: from two byte ranges to covers. Flat list of passes in matcher.cpp.
#pragma once

#include "bdelta/io.hpp"
#include "delta/cover.hpp"
#include "match/params.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// Same bytes and parameters give the same covers for any thread count. Both spans must stay unchanged meanwhile. The
// passes are recorded on the timeline of the pool, and are stages of its watch, with goals from 0 to 1.
[[nodiscard]] Covers find_covers(ByteSpan source, ByteSpan target, const MatchParams& params, WorkerPool& pool);

}  // namespace bdelta
