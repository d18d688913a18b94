// Copies of the target from what stands before it in the target: what is new in several places is paid for once.
#pragma once

#include "base/deciding/parse.hpp"
#include "delta/cover.hpp"
#include "delta/substitution_table.hpp"
#include "match/byte_range.hpp"
#include "match/parse_costs.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// How the target is copied so far. Owns nothing.
struct CopiedTarget {
  ByteSpan source;
  ByteSpan target;  // below 4 GiB
  const Covers& covers;
  const SubstitutionTable* substitutions = nullptr;  // may be null
  bool count_misses = true;        // of covers; else these are taken to fit, and are not read
};

struct TargetCopyLimits {
  std::uint64_t history_bytes = 0;          // how far before itself a copy may begin
  std::uint64_t least_saved_share = 64;     // of what the target costs, that all copies must save to be searched for
  unsigned gram_shift = 2;                  // one place in 2^gram_shift, 1 to 8, may begin a copy
};

struct TargetCopies {
  Covers copies;                  // source_pos is a position of the target; ascending, apart, exact
  std::uint64_t saved_bytes = 0;  // about what the patch gets smaller by
  std::uint64_t spent_bytes = 0;  // of about so much, all in all
};

// Copies that cost less than what they stand in place of. Each ends where it begins in the target at the latest. None
// if a sample says that they would save less than their share. `costs`: what decisions of the parse are taken to cost.
// Depends on no thread count.
[[nodiscard]] TargetCopies find_target_copies(const CopiedTarget& copied, const ParseCosts& costs,
                                              const TargetCopyLimits& limits, WorkerPool& pool);

// Of copies that were found for other covers, those in `ranges` that cost less there, too, than what `copied` makes of
// it. The ranges begin and end with blocks of TargetCosts.
[[nodiscard]] Covers cheaper_copies(const CopiedTarget& copied, const Covers& copies, const ByteRanges& ranges,
                                    const ParseCosts& costs, WorkerPool& pool);

// The covers with the copies in their place, whose source_pos then counts from target_from. Of so few bytes between two
// copies nothing is covered: a cover would cost more.
[[nodiscard]] Covers with_target_copies(const Covers& covers, const Covers& copies, std::uint64_t target_from);

}  // namespace bdelta
