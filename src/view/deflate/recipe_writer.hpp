// Writing a recipe.
//
//   RecipeWriter writer;
//   for (const auto& stream : streams) {
//     if (!writer.add(stream.recipe, {stream.raw_bytes, stream.packed_bytes})) ...   // it has to stay packed
//   }
//   Bytes recipe = writer.finish();
//
// Not thread-safe.
#pragma once

#include "view/deflate/recipe_models.hpp"

namespace bdelta::deflate {

class RecipeWriter {
 public:
  RecipeWriter() : models_(head_) {}
  RecipeWriter(const RecipeWriter&) = delete;
  RecipeWriter& operator=(const RecipeWriter&) = delete;

  // recipe: as analyse() gives it. False, and nothing is added, if the whole would have more in it than a reader takes.
  [[nodiscard]] bool add(const StreamRecipe& recipe, const StreamSizes& sizes);

  [[nodiscard]] Bytes finish();

 private:
  BitEncoder head_;
  RecipeModels<BitEncoder> models_;
  Bytes lockstep_;
  std::uint64_t left_ = kMostDeviations;
};

}  // namespace bdelta::deflate
