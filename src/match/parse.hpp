// The parse: the cheapest way through the target, over all diagonals that are worth a thought.
#pragma once

#include <span>
#include <vector>

#include "bdelta/io.hpp"
#include "delta/cover.hpp"
#include "match/anchor_table.hpp"
#include "match/parse_costs.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

struct ParseParams {
  std::vector<ParseCosts> costs{ParseCosts()};  // each gives covers of its own; at least one
  std::vector<ParseCosts> small_costs;          // likewise, where seeds leave no more than small_bytes to be changed
  std::uint64_t small_bytes = 0;
  std::vector<ParseCosts> dense_costs;          // likewise, where what seeds leave free looks compressed
  std::size_t beam = 64;      // diagonals alive at a time
  unsigned anchor_shift = 2;  // one position in 2^shift is an anchor
  bool long_grams = false;    // ask for the nearest long match too
};

// What keeps a parse within bounds of memory; by default nothing is lost.
struct ParseScope {
  AnchorScope anchors;
  std::size_t gram_blocks = 1024;      // of each kind of SourceGrams, for each worker; fewer = slower, with equal covers
  std::uint64_t chunk_bytes = std::uint64_t{8} << 20;  // of target, parsed by one task
  std::uint64_t bytes_per_cover = 0;   // of a chunk, in the mean, at least; 0 = covers without end
};

// Chooses covers anew, once for each of the costs in `params` that count here, with `seeds` (valid covers, as a fast
// matcher finds them) as candidates. miss_scale: for each target byte what a miss there costs, in sixteenths of the ordinary; empty = 16.
[[nodiscard]] std::vector<Covers> parse_covers(ByteSpan source, ByteSpan target, const Covers& seeds,
                                               const ParseParams& params, std::span<const std::uint8_t> miss_scale,
                                               WorkerPool& pool, const ParseScope& scope = {});

}  // namespace bdelta
