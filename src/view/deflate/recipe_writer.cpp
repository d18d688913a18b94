#include "view/deflate/recipe_writer.hpp"

#include "base/varint.hpp"

namespace bdelta::deflate {
namespace {

// Whether a reader takes it, found out apart: what is refused half-way would leave the models another state than a reader's.
bool is_sound(StreamRecipe recipe, const StreamSizes& sizes) {
  BitEncoder coder;
  RecipeModels<BitEncoder> models(coder);
  std::uint64_t lockstep_bytes = recipe.lockstep.size();
  return models.code(recipe, sizes, lockstep_bytes);
}

}  // namespace

bool RecipeWriter::add(const StreamRecipe& recipe, const StreamSizes& sizes) {
  const std::uint64_t deviations = recipe.joints.size() + recipe.corrections.size() + recipe.deviations.size();
  if (deviations > left_ || !is_sound(recipe, sizes)) return false;
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
