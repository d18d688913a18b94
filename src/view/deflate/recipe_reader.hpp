// Reading a recipe.
//
//   auto reader = RecipeReader::open(recipe);
//   for (const auto& stream : streams) {
//     BDELTA_ASSIGN(StreamRecipe description, reader->next({stream.raw_bytes, stream.packed_bytes}));
//     ...
//   }
//   BDELTA_TRY(reader->finish());
//
// The bytes of a recipe may be anybody's. All that is read is bounded by the sizes of its stream, which the caller has
// bounded, and by kMostDeviations for the whole. That it can be a stream is found out by Rebuilder. Errors:
// kPatchCorrupt. Not thread-safe; what it gives is values, and streams are rebuilt independently.
#pragma once

#include <memory>

#include "bdelta/error.hpp"
#include "view/deflate/recipe_models.hpp"

namespace bdelta::deflate {

class RecipeReader {
 public:
  // recipe: has to stay where it is.
  [[nodiscard]] static Result<RecipeReader> open(ByteSpan recipe);
  RecipeReader(RecipeReader&&) noexcept;
  RecipeReader& operator=(RecipeReader&&) noexcept;
  ~RecipeReader();

  [[nodiscard]] Result<StreamRecipe> next(const StreamSizes& sizes);

  // After the last stream: nothing is left over.
  [[nodiscard]] Status finish() const;

 private:
  struct State;
  explicit RecipeReader(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace bdelta::deflate
