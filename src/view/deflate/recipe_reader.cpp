#include "view/deflate/recipe_reader.hpp"

#include "base/byte_cursor.hpp"

namespace bdelta::deflate {

struct RecipeReader::State {
  State(ByteSpan head, ByteSpan behind) : coder(head), models(coder), left(behind) {}

  BitDecoder coder;
  RecipeModels<BitDecoder> models;
  ByteSpan left;  // lockstep codes of the streams to come
};

namespace {

Error recipe_damaged(const char* what) { return {.code = ErrorCode::kPatchCorrupt, .detail = what}; }

}  // namespace

RecipeReader::RecipeReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
RecipeReader::RecipeReader(RecipeReader&&) noexcept = default;
RecipeReader& RecipeReader::operator=(RecipeReader&&) noexcept = default;
RecipeReader::~RecipeReader() = default;

Result<RecipeReader> RecipeReader::open(ByteSpan recipe) {
  ByteCursor cursor(recipe);
  const ByteSpan head = cursor.bytes(cursor.varint());
  if (!cursor.ok()) return recipe_damaged("the recipe of deflate streams ends before its head does");
  return RecipeReader(std::make_unique<State>(head, ByteSpan{cursor.position(), cursor.available()}));
}

Result<StreamRecipe> RecipeReader::next(const StreamSizes& sizes) {
  StreamRecipe recipe;
  std::uint64_t lockstep_bytes = 0;
  if (!state_->models.code(recipe, sizes, lockstep_bytes)) {
    return recipe_damaged("the recipe of a deflate stream asks for what can't be");
  }
  if (lockstep_bytes > state_->left.size()) return recipe_damaged("the recipe of a deflate stream is longer than all of them");
  const ByteSpan lockstep = state_->left.first(static_cast<std::size_t>(lockstep_bytes));
  recipe.lockstep.assign(lockstep.begin(), lockstep.end());
  state_->left = state_->left.subspan(static_cast<std::size_t>(lockstep_bytes));
  return recipe;
}

Status RecipeReader::finish() const {
  if (!state_->coder.all_taken() || !state_->left.empty()) return recipe_damaged("bytes follow the last deflate stream's recipe");
  return {};
}

}  // namespace bdelta::deflate
