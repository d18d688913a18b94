// The readers of single kinds of tables; table_fields.cpp calls them. For the room and its tests.
#pragma once

#include <vector>

#include "exe/field_sink.hpp"

namespace bdelta::exe {

void find_elf_fields(FieldSink& sink);
void find_pe_fields(FieldSink& sink);
void find_macho_fields(FieldSink& sink);
void find_go_fields(FieldSink& sink);

// The export trie of Mach-O, so many bytes at `pos`.
void find_export_trie_fields(FieldSink& sink, std::uint64_t pos, std::uint64_t size_bytes);

// .eh_frame_hdr at `pos`; adds its fields and gives the address of the .eh_frame it leads to, or 0.
[[nodiscard]] std::uint64_t find_eh_frame_header_fields(FieldSink& sink, std::uint64_t pos, std::uint64_t size_bytes);

// .eh_frame at `pos`, and the exception tables that its entries lead to.
void find_eh_frame_fields(FieldSink& sink, std::uint64_t pos, std::uint64_t size_bytes);

// The exception tables at these addresses, in any order.
void find_exception_table_fields(FieldSink& sink, std::vector<std::uint64_t> addresses);

// Words of the data sections that are the addresses of something, for images that are loaded where they were linked
// and so have no relocations.
void find_fixed_pointers(FieldSink& sink);

}  // namespace bdelta::exe
