// What a level means to the matcher. Scores are in equal bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "base/deciding/search.hpp"
#include "match/extend.hpp"
#include "match/parse.hpp"

namespace bdelta {

inline constexpr ExtendCosts kStrict{kStrictPenalty, kStrictDrop};  // first extension: only ground that clearly belongs there
inline constexpr ExtendCosts kLoose{kLoosePenalty, kLooseDrop};     // last: what no other diagonal wanted

struct MatchParams {
  unsigned sample_shift = 6;      // one source position in 2^shift is indexed; more = faster, fewer matches
  bool compare_candidates = false;  // weigh all candidates of a position instead of taking the first good one
  bool parse = false;             // choose covers anew by the cheapest way through the target
  ParseParams parse_params;
};

}  // namespace bdelta
