#include "support/own_deflate.hpp"

#include "view/deflate/rebuild.hpp"

namespace bdelta::test {

Bytes own_deflate(ByteSpan raw, const deflate::Parameters& parameters, const std::vector<deflate::Joint>& joints) {
  deflate::StreamRecipe recipe;
  recipe.parameters = parameters;
  recipe.joints = joints;
  deflate::MatcherSet matchers;
  Bytes packed;
  const auto take = [&](ByteSpan bytes) -> Status {
    append(packed, bytes);
    return {};
  };
  const std::uint64_t more_than_enough = 2 * raw.size() + 100 * (joints.size() + 10);
  deflate::Rebuilder rebuilder(matchers, recipe, {raw.size(), more_than_enough}, take);
  if (!rebuilder.write(raw)) return {};
  // Its size is not the one that was said: all bytes have been given by then.
  static_cast<void>(rebuilder.finish());
  return packed;
}

}  // namespace bdelta::test
