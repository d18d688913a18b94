// What a level means to the matcher. Scores are in equal bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "base/deciding/search.hpp"
#include "match/extend.hpp"
#include "match/parse.hpp"

namespace bdelta {

struct MatchParams {
  unsigned sample_shift = 6;      // one source position in 2^shift is indexed; more = faster, fewer matches
  ExtendCosts strict{kStrictPenalty, kStrictDrop};  // first extension: takes only ground that clearly belongs to the diagonal
  ExtendCosts loose{kLoosePenalty, kLooseDrop};  // last extension: takes what no other diagonal wanted
  int same_min_score = kLeastSameScore;  // to go on along the current diagonal
  int near_min_score = kLeastNearScore;  // a cover found by the local table
  int far_min_score = kLeastFarScore;  // a cover found by the global index
  bool compare_candidates = false;  // weigh all candidates of a position instead of taking the first good one
  bool loosen = false;            // extend covers into the gaps beside them under `loose`
  bool prune = false;             // move borders between covers and drop covers that cost more than they save
  bool parse = false;             // choose covers anew by the cheapest way through the target
  ParseParams parse_params;
};

}  // namespace bdelta
