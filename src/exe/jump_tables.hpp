// Jump tables: the targets of a switch, reached by an address that code computes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bdelta/io.hpp"
#include "exe/field.hpp"
#include "exe/field_blocks.hpp"
#include "exe/image.hpp"
#include "exe/layout.hpp"

namespace bdelta::exe {

// An instruction that computes the address of what may be a jump table.
struct TableLoad {
  std::uint64_t table = 0;  // address
  std::uint64_t code = 0;   // address of the instruction's field
};

// Whether the field of code, with its image set, is part of such an instruction. Few are.
[[nodiscard]] bool is_table_load(ByteSpan file, const Image& image, const ImageLayout& layout, const Field& field,
                                 TableLoad& load);

// Of several instructions for one table the first one speaks for all; the others go. Sorts them by table.
void keep_first_loads(std::vector<TableLoad>& loads);

// Adds the entries of tables to `out`, the blocks of `image`. `loads` are all of the image, as keep_first_loads leaves them.
// Where they meet fields that find_table_fields found, those that begin first stay.
void find_jump_tables(ByteSpan file, const Image& image, std::span<const TableLoad> loads, FieldBlocks& out,
                      Watch* watch = nullptr);

}  // namespace bdelta::exe
