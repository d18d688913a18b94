// The one search that whatever is decided before covers are chosen goes by. They are then chosen from what it found.
#pragma once

#include "match/matcher.hpp"

namespace bdelta {

struct Survey {
  bool is_made = false;
  Covers seeds;  // what a choice of covers begins with
  Covers plain;  // the covers that a patch would have without that choice

  static Survey make(ByteSpan source, ByteSpan target, const Diagonals& diagonals, const MatchParams& params,
                     const MatchLimits& limits, WorkerPool& pool) {
    Matcher matcher(source, params, limits, pool);
    Survey survey{true, matcher.find_seeds(target, diagonals), {}};
    survey.plain = matcher.settled(target, survey.seeds);
    return survey;
  }
};

}  // namespace bdelta
