#include "view/deflate/recipe_writer.hpp"

#include "base/varint.hpp"

namespace bdelta::deflate {

bool RecipeWriter::add(const StreamRecipe& recipe, const StreamSizes& sizes) {
  const std::uint64_t deviations = recipe.joints.size() + recipe.corrections.size() + recipe.deviations.size();
  if (deviations > left_) return false;
  left_ -= deviations;
  StreamRecipe same = recipe;
  std::uint64_t lockstep_bytes = recipe.lockstep.size();
  if (!models_.code(same, sizes, lockstep_bytes)) return false;
  append(lockstep_, recipe.lockstep);
  return true;
}

Bytes RecipeWriter::finish() {
  const Bytes head = head_.finish();
  Bytes recipe;
  append_varint(recipe, head.size());
  append(recipe, head);
  append(recipe, lockstep_);
  return recipe;
}

}  // namespace bdelta::deflate
