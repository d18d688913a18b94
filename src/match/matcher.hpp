// The matcher: from two byte ranges to covers. Flat list of passes in matcher.cpp.
#pragma once

#include <functional>

#include "bdelta/io.hpp"
#include "delta/cover.hpp"
#include "match/params.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// Asked between and inside passes with the share done, 0 to 1; false cancels, and the covers are then unfinished.
// Called from any thread, one at a time.
using MatchTick = std::function<bool(double share)>;

// Same bytes and parameters give the same covers for any thread count. Both spans must stay unchanged meanwhile. The
// passes are recorded on the timeline of the pool.
[[nodiscard]] Covers find_covers(ByteSpan source, ByteSpan target, const MatchParams& params, WorkerPool& pool,
                                 const MatchTick& tick = {});

}  // namespace bdelta
