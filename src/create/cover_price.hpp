// What covers take in a patch, beside what the parse takes them to cost.
#pragma once

#include "delta/cover.hpp"
#include "match/parse_costs.hpp"
#include "parallel/watch.hpp"

namespace bdelta {

// Whether covers like these, as numbers, take clearly less than the least that a change of the diagonal costs. Where one
// table has another notation in NEW, each entry is cut alike. Never of few covers. `watch` may be null. Errors: those of
// the codec.
Result<bool> are_cheap_covers(const Covers& covers, const ParseCosts& costs, Watch* watch);

}  // namespace bdelta
