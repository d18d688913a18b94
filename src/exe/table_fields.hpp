// Addresses outside of instructions: finds the fields in the tables of an image.
#pragma once

#include "bdelta/io.hpp"
#include "exe/field_blocks.hpp"
#include "exe/image.hpp"

namespace bdelta::exe {

// Adds the fields of the tables of `image`, which find_images found in `file`, to `out`, which are the blocks of that image.
// Each field is inside the image and leads to a place in it. Where tables disagree about a byte the field that begins first
// stays. The watch, which may be null, can end the search.
void find_table_fields(ByteSpan file, const Image& image, FieldBlocks& out, Watch* watch = nullptr);

}  // namespace bdelta::exe
