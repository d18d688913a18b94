// Deflate streams that the library makes by itself: the same bytes whatever zlib is installed.
#pragma once

#include <vector>

#include "view/deflate/recipe.hpp"

namespace bdelta::test {

// What an encoder with these parameters makes of `raw`, whose caller flushed at the joints; valid ones, which rise.
[[nodiscard]] Bytes own_deflate(ByteSpan raw, const deflate::Parameters& parameters = {},
                                const std::vector<deflate::Joint>& joints = {});

}  // namespace bdelta::test
