// Where an encoder's caller flushed, as far as a stream shows it.
#pragma once

#include "view/deflate/inflate.hpp"
#include "view/deflate/recipe.hpp"

namespace bdelta::deflate {

// With the markers that the stream has there, and of kind kContinue.
[[nodiscard]] std::vector<Joint> find_joints(const Inflated& stream);

}  // namespace bdelta::deflate
