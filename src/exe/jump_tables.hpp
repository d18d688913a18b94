// Jump tables: the targets of a switch, reached by an address that code computes.
#pragma once

#include <span>
#include <vector>

#include "bdelta/io.hpp"
#include "exe/field.hpp"
#include "exe/image.hpp"
#include "exe/layout.hpp"

namespace bdelta::exe {

// Whether the field's instruction may load the address of a jump table. Few fields of code do, so only these need be
// collected.
[[nodiscard]] bool may_load_jump_table(ByteSpan file, const Image& image, const ImageLayout& layout, const Field& field);

// Appends the entries of the tables that instructions of `image` load the address of. `code_fields` are those that
// find_code_fields found in it, or at least those that may load a table. What is added ascends by position and is disjoint;
// Field::image is left 0. It may lie where find_table_fields found fields too.
void find_jump_tables(ByteSpan file, const Image& image, std::span<const Field> code_fields, std::vector<Field>& out);

}  // namespace bdelta::exe
