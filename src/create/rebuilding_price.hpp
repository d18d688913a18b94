// What making a deflate stream again costs: its text, and the candidates that its encoder looks at.
#pragma once

#include "base/deciding/prices.hpp"
#include "view/deflate/analyse.hpp"

namespace bdelta {

// Nominal nanoseconds.
[[nodiscard]] inline std::uint64_t rebuilding_ns(const deflate::Analysis& analysis) noexcept {
  using deflate::Search;
  const Search search = analysis.recipe.parameters.search;
  const bool searches = search != Search::kLiterals && search != Search::kRuns;
  return kRebuiltNs[searches] * analysis.sizes().raw_bytes + kRebuiltNs[2] * analysis.looked_at;
}

}  // namespace bdelta
