// What making a deflate stream again costs: its text, its tokens, and the candidates that its encoder looks at.
#pragma once

#include "base/deciding/prices.hpp"
#include "view/deflate/analyse.hpp"

namespace bdelta {

// Nominal nanoseconds.
[[nodiscard]] inline std::uint64_t rebuilding_ns(const deflate::Analysis& analysis) noexcept {
  using deflate::Search;
  const Search search = analysis.recipe.parameters.search;
  const std::uint64_t raw_bytes = analysis.sizes().raw_bytes;
  if (search == Search::kLiterals || search == Search::kRuns) return kUnsearchedByteNs * raw_bytes;
  return kSearchedByteNs * raw_bytes + kTokenNs * analysis.stream.tokens.size() + kCandidateNs * analysis.looked_at;
}

}  // namespace bdelta
