// What copies of the target are taken to cost, in 1/64 bit.
#pragma once

#include "base/deciding/parse.hpp"
#include "match/parse_costs.hpp"
#include "match/target_copies.hpp"

namespace bdelta {

// A copy with the way back to what it interrupts.
[[nodiscard]] inline std::int64_t target_copy_cost(const ParseCosts& costs) noexcept {
  return 2 * costs.far_switch + kCopyMargin;
}

// Whether `next` goes on where `before` ends, but for a few bytes.
[[nodiscard]] inline bool is_link(const Cover& before, const Cover& next) noexcept {
  return next.target_pos - before.target_end() <= kMostBetweenCopies;
}

// What such a copy adds.
[[nodiscard]] inline std::int64_t link_cost(const Cover& before, const Cover& next, const ParseCosts& costs) noexcept {
  const auto skipped = static_cast<std::int64_t>(next.target_pos - before.target_end());
  const std::int64_t literals = skipped == 0 ? 0 : costs.begin_literal + skipped * costs.literal;
  return kLinkMargin + literals + (next.diagonal() == before.diagonal() ? costs.resume : costs.near_switch);
}

}  // namespace bdelta
