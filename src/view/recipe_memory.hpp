// Memory that the recipes of a file take once they are read: few bytes may be many joints, corrections and deviations.
#pragma once

#include "view/deflate/recipe.hpp"

namespace bdelta::view {

// In the vectors of a recipe, which have room for twice as much.
inline constexpr std::uint64_t kHeldJointBytes = 32, kHeldCorrectionBytes = 32, kHeldDeviationBytes = 80;
static_assert(2 * sizeof(deflate::Joint) <= kHeldJointBytes && 2 * sizeof(deflate::Correction) <= kHeldCorrectionBytes &&
              2 * sizeof(deflate::BlockDeviation) <= kHeldDeviationBytes);

[[nodiscard]] inline std::uint64_t held_bytes(const deflate::StreamRecipe& recipe) noexcept {
  return recipe.joints.size() * kHeldJointBytes + recipe.corrections.size() * kHeldCorrectionBytes +
         recipe.deviations.size() * kHeldDeviationBytes + recipe.lockstep.size();
}

// What all recipes of a file may take that are recipe_bytes long; part of the format. What takes more stays packed.
[[nodiscard]] constexpr std::uint64_t most_held_bytes(std::uint64_t recipe_bytes) noexcept {
  return 16 * recipe_bytes + (std::uint64_t{4} << 20);
}

// What OLD's last view takes of memory at least; more of it may be in a temporary file. Part of the format.
[[nodiscard]] constexpr std::uint64_t held_view_bytes(std::uint64_t view_bytes) noexcept {
  constexpr std::uint64_t kMostHeldBytes = std::uint64_t{16} << 20;
  return view_bytes < kMostHeldBytes ? view_bytes : kMostHeldBytes;
}

}  // namespace bdelta::view
