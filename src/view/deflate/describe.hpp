// From a stream, and what M makes of it, to its recipe.
#pragma once

#include "view/deflate/inflate.hpp"
#include "view/deflate/recipe.hpp"
#include "view/deflate/token_pass.hpp"

namespace bdelta::deflate {

// recipe: has parameters, joints and whether it is dense. pass: of these, kept. Fills in corrections, deviations and
// lockstep code.
void describe(MatcherSet& matchers, const Inflated& stream, const PassResult& pass, StreamRecipe& recipe, Watch* watch = nullptr);

// Bytes of lockstep code for the tokens up to raw_bytes, with such parameters: which ones are best if none are right.
[[nodiscard]] std::uint64_t dense_cost(MatcherSet& matchers, const Inflated& stream, const Parameters& parameters,
                                       const std::vector<Joint>& joints, std::uint64_t raw_bytes);

}  // namespace bdelta::deflate
