// What making a deflate stream again costs, by what its encoder looked for.
#pragma once

#include <iterator>

#include "base/deciding/prices.hpp"
#include "view/deflate/parameters.hpp"

namespace bdelta {

// Of kRebuiltNs: no search; few candidates, or those of a block; as many as usual; as many as there are.
[[nodiscard]] constexpr std::size_t rebuilding_class(const deflate::Parameters& parameters) noexcept {
  using deflate::Search;
  if (parameters.search == Search::kLiterals || parameters.search == Search::kRuns) return 0;
  if (parameters.search == Search::kBlocks || parameters.chain <= 32) return 1;
  return parameters.chain <= 512 ? 2 : std::size(kRebuiltNs) - 1;
}

// Nominal nanoseconds for so much text.
[[nodiscard]] constexpr std::uint64_t rebuilding_ns(const deflate::Parameters& parameters, std::uint64_t raw_bytes) noexcept {
  return kRebuiltNs[rebuilding_class(parameters)] * raw_bytes;
}

}  // namespace bdelta
