// Addresses outside of instructions: finds the fields in the tables of an image.
#pragma once

#include <vector>

#include "bdelta/io.hpp"
#include "exe/field.hpp"
#include "exe/image.hpp"
#include "exe/predictor_id.hpp"

namespace bdelta::exe {

// Appends the fields of the tables of `image`, which find_images found in `file`, to `out`: ascending by position,
// disjoint, inside the image, each leading to a place in it. Field::image is left 0. Where tables disagree about a byte
// the field that begins first stays.
void find_table_fields(ByteSpan file, const Image& image, PredictorId predictor, std::vector<Field>& out);

}  // namespace bdelta::exe
