// The parse: the cheapest way through the target, over all diagonals that are worth a thought.
#pragma once

#include <span>

#include "bdelta/io.hpp"
#include "delta/cover.hpp"
#include "match/parse_costs.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

struct ParseParams {
  ParseCosts costs;
  std::size_t beam = 64;      // diagonals alive at a time
  unsigned anchor_shift = 2;  // one position in 2^shift is an anchor
};

// Chooses covers anew, with `seeds` (valid covers, as a fast matcher finds them) as candidates. miss_scale: for each
// target byte what a miss there costs, in sixteenths of the ordinary; empty = 16 everywhere.
[[nodiscard]] Covers parse_covers(ByteSpan source, ByteSpan target, const Covers& seeds, const ParseParams& params,
                                  std::span<const std::uint8_t> miss_scale, WorkerPool& pool);

}  // namespace bdelta
