// The parse: the cheapest way through the target, over all diagonals that are worth a thought.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "bdelta/io.hpp"
#include "delta/cover.hpp"
#include "match/anchor_table.hpp"
#include "match/parse_costs.hpp"
#include "match/source_grams.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

struct ParseParams {
  std::vector<ParseCosts> costs = std::vector<ParseCosts>(1);  // each gives covers of its own; at least one
  std::vector<ParseCosts> little_costs;         // in their place where seeds leave no more than little_bytes to be changed
  std::uint64_t little_bytes = 0;
  std::vector<ParseCosts> text_costs;           // in place of both where what seeds leave free is text
  std::vector<ParseCosts> dense_costs;          // with those, where what seeds leave free looks compressed
  std::size_t beam = 64;      // diagonals alive at a time
  unsigned anchor_shift = 2;  // one position in 2^shift is an anchor
  unsigned gram_bytes = SourceGrams::kMediumGram;  // of the nearest matches that are asked for
  bool long_grams = false;    // ask for the nearest long match too
};

// A bounded parse gives no more than one cover for so many bytes of a chunk, in the mean.
inline constexpr std::uint64_t kParsedBytesPerCover = 24;

// What keeps a parse within bounds of memory; by default nothing is lost.
struct ParseScope {
  AnchorScope anchors;
  std::size_t gram_blocks = 928;       // of SourceGrams, for each worker; fewer = slower, with equal covers
  std::uint64_t chunk_bytes = std::uint64_t{8} << 20;  // of target, parsed by one task
  std::uint64_t bytes_per_cover = 0;   // of a chunk, in the mean, at least; 0 = covers without end
  ByteRanges targets;                  // of the target, that is parsed; none = all of it
};

// Where much is to be parsed: which of several costs all of the target is parsed with, is told by a sample of it.
struct CostChoice {
  // Goals of stages of the parse: once the sample is parsed, and once best_of has looked at it.
  static constexpr double kParsed = 0.4;
  static constexpr double kChosen = 0.55;

  std::uint64_t sample_bytes = 0;  // of target, where it changes
  std::uint64_t least_changed_bytes = 0;  // with fewer, by the seeds, all of the target is parsed with each of the costs
  bool of_one = false;             // also where there is one set of costs

  // Of sets of covers of the chunks `sample`, one set for each of the costs, the indexes of those worth going on with,
  // each once. None: no covers are wanted. seeds: covers of all of the target, as they were before.
  std::function<std::vector<std::size_t>(std::vector<Covers> sets, const ByteRanges& sample, const Covers& seeds)> best_of;

  // Told what covers leave so far, before steps that may take far longer than all until then. Stages from then on are those
  // of another part. Matcher knows free bytes alone; where a parse follows, it also tells before the search goes on.
  // May be empty.
  using FoundSoFar = std::function<void(const CoverChanges& changes, bool searches)>;
  FoundSoFar found_so_far;

  // Whether covers like these take much less in the patch than `costs` say: then the first costs count with cheap covers
  // too, however little changes. May be empty.
  std::function<bool(const Covers& seeds, const ParseCosts& costs)> are_cheap;
};

// Chooses covers anew, once for each of the costs in `params` that count here, with `seeds` (valid covers, as a fast
// matcher finds them) as candidates. miss_scale: for each target byte what a miss there costs, in sixteenths of the
// ordinary; empty = 16. choice, if there is one: only with those of the costs that it tells. The stages are those of a part.
[[nodiscard]] std::vector<Covers> parse_covers(ByteSpan source, ByteSpan target, const Covers& seeds,
                                               const ParseParams& params, std::span<const std::uint8_t> miss_scale,
                                               WorkerPool& pool, const ParseScope& scope = {},
                                               const CostChoice* choice = nullptr);

}  // namespace bdelta
