// What making a deflate stream again costs: its text, its tokens, and the candidates that its encoder looks at.
#pragma once

#include "base/deciding/prices.hpp"
#include "view/deflate/analyse.hpp"

namespace bdelta {

// Of kTokenNs: a greedy search leaves out most positions, a lazy one has all of them in its chains, and one by ranks in three.
[[nodiscard]] inline std::size_t token_row(const deflate::Parameters& parameters, std::uint64_t raw_bytes) noexcept {
  using deflate::Search;
  if (parameters.search == Search::kGreedy || parameters.search == Search::kBlocks) return 0;
  return deflate::is_ranked(parameters, raw_bytes) ? 2 : 1;
}

// Nominal nanoseconds.
[[nodiscard]] inline std::uint64_t rebuilding_ns(const deflate::Analysis& analysis) noexcept {
  using deflate::Search;
  const Search search = analysis.recipe.parameters.search;
  const std::uint64_t raw_bytes = analysis.sizes().raw_bytes;
  if (search == Search::kLiterals || search == Search::kRuns) return kUnsearchedByteNs * raw_bytes;
  const std::size_t row = token_row(analysis.recipe.parameters, raw_bytes);
  const std::uint64_t candidate_ns = analysis.looked_at * kCandidatesNs[row == 2 ? 1 : 0] / 1024;
  return kMadeStreamNs + raw_bytes * kSearchedKiBNs / 1024 + analysis.stream.tokens.size() * kTokenNs[row] + candidate_ns;
}

}  // namespace bdelta
