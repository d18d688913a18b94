// Memory that the recipes of a file take once they are read: few bytes may be many joints, corrections and deviations.
#pragma once

#include "view/deflate/recipe.hpp"
#include "view/packed_streams.hpp"

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

// Of a text that unpacking OLD holds; a larger one goes to the view while it comes. Part of the format.
inline constexpr std::uint64_t kMostHeldTextBytes = std::uint64_t{16} << 20;

[[nodiscard]] constexpr std::uint64_t held_stream_bytes(StreamKind kind, std::uint64_t largest_bytes) noexcept {
  return kind == StreamKind::kDeflate && largest_bytes > kMostHeldTextBytes ? kMostHeldTextBytes : largest_bytes;
}

// What a view of OLD takes of memory at least; more of it may be in a temporary file. Part of the format.
[[nodiscard]] constexpr std::uint64_t held_view_bytes(std::uint64_t view_bytes) noexcept {
  constexpr std::uint64_t kMostHeldBytes = std::uint64_t{16} << 20;
  return view_bytes < kMostHeldBytes ? view_bytes : kMostHeldBytes;
}

// Whether OLD's view has few enough bytes for where it is kept, in memory or in a file. Part of the format.
[[nodiscard]] constexpr bool may_be_kept(std::uint64_t view_bytes, std::uint64_t source_bytes, std::uint64_t memory_bytes) noexcept {
  constexpr std::uint64_t kMostShare = 16;
  return view_bytes / kMostShare <= source_bytes || view_bytes / kMostShare - source_bytes <= memory_bytes;
}

}  // namespace bdelta::view
