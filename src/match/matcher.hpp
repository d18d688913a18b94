// The matcher: from two byte ranges to covers. Flat list of passes in matcher.cpp.
#pragma once

#include <functional>

#include "bdelta/io.hpp"
#include "delta/cover.hpp"
#include "match/diagonal.hpp"
#include "match/gap_pass.hpp"
#include "match/params.hpp"
#include "match/source_index.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// Asked between and inside passes with the share done, 0 to 1; false cancels, and the covers are then unfinished.
// Called from any thread, one at a time.
using MatchTick = std::function<bool(double share)>;

// What keeps a matcher's memory within bounds. By default nothing does, and nothing is lost.
struct MatchLimits {
  std::uint64_t index_bytes = 0;          // of the table over the source, a power of two; 0 = as its samples need
  std::uint64_t gap_bytes = 0;            // of a gap pass, see GapScope; 0 = as it likes
  bool near_gaps_only = false;            // gap passes read what of the source the covers lie in, not all of it
  std::uint64_t bytes_per_cover = 0;      // of target, in the mean of a chunk, at least; 0 = covers without end
  std::uint64_t chunk_bytes = std::uint64_t{8} << 20;  // of target, scanned by one task
};

// Holds one source and its index, and covers one stretch of the target after the other.
class Matcher {
 public:
  // `source` must outlive the matcher. The passes are recorded on the timeline of the pool.
  Matcher(ByteSpan source, const MatchParams& params, const MatchLimits& limits, WorkerPool& pool)
      : source_(source), params_(params), limits_(limits), pool_(pool) {}

  // Covers of `target`, whose positions begin at 0. Same bytes, parameters and calls before give the same covers for any
  // thread count.
  [[nodiscard]] Covers find(ByteSpan target, const Diagonals& diagonals, const MatchTick& tick = {});

 private:
  void build_index_if_worth(const Covers& covers, std::uint64_t target_size);
  [[nodiscard]] Covers scan(ByteSpan target, const Covers& known, std::int64_t diagonal, const MatchTick& tick);
  bool fill(ByteSpan target, unsigned span, Covers& covers);

  const ByteSpan source_;
  const MatchParams& params_;
  const MatchLimits limits_;
  WorkerPool& pool_;
  SourceIndex index_;
  std::uint64_t uncovered_ = 0;  // by diagonals alone, in all targets so far
};

// The covers of a whole target, without limits.
[[nodiscard]] Covers find_covers(ByteSpan source, ByteSpan target, const MatchParams& params, WorkerPool& pool,
                                 const MatchTick& tick = {});

}  // namespace bdelta
