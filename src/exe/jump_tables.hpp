// Jump tables: the targets of a switch, reached by an address that code computes.
#pragma once

#include <span>

#include "bdelta/io.hpp"
#include "exe/field_blocks.hpp"
#include "exe/image.hpp"
#include "exe/layout.hpp"

namespace bdelta::exe {

// Whether the field's instruction may load the address of a jump table. Few fields of code do, so only these need be
// collected.
[[nodiscard]] bool may_load_jump_table(ByteSpan file, const Image& image, const ImageLayout& layout, const Field& field);

// Adds the entries of the tables that instructions of `image` load the address of to `out`, the blocks of that image.
// `code_fields` are those that find_code_fields found in it, or at least those that may load a table. Where they meet fields
// that find_table_fields found, those that begin first stay.
void find_jump_tables(ByteSpan file, const Image& image, std::span<const Field> code_fields, FieldBlocks& out);

}  // namespace bdelta::exe
