// What the readers of Go's tables share.
#pragma once

#include "exe/field_sink.hpp"

namespace bdelta::exe {

// Where Go's tables lie. Bases with position 0 are not known.
struct GoTables {
  FieldBase start;
  std::uint64_t size_bytes = 0;  // to the end of the section
  std::uint64_t function_count = 0;
  std::uint64_t record_bytes = 0;  // of a function, without its lists
  FieldBase names, units, files, programs, functions;
  FieldBase text, collector_data, types, read_only;
  std::uint64_t types_bytes = 0;
  FieldBase lookup;  // from the address of code to its function
  std::uint64_t lookup_count = 0;
};

// The lists of a function's record: offsets of programs, then of tables in GoTables::collector_data.
struct GoLists {
  std::uint64_t programs_pos = 0;
  std::uint64_t program_count = 0;
  std::uint64_t data_count = 0;
  std::uint64_t entry = 0;  // of the function, in the text
};

// The address that a pointer in a data section stands for, as it is or as a chained fixup.
[[nodiscard]] std::uint64_t go_pointer_at(const FieldSink& sink, std::uint64_t pos);

// Finds moduledata, fills the bases that only it knows, and adds its lengths of slices and, where it has one, the list of
// types.
void read_go_module(FieldSink& sink, GoTables& tables);

// Descriptions of types: names, types of pointers to them, methods. Needs GoTables::types.
void find_go_type_fields(FieldSink& sink, const GoTables& tables);

// What the tables of one function hold: calls that were inlined, and objects on its stack. Needs collector_data.
void find_go_function_data(FieldSink& sink, const GoTables& tables, const GoLists& lists);

}  // namespace bdelta::exe
