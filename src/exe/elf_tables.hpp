// What the readers of ELF's tables share, and the readers of symbols and of ARM's unwind tables.
#pragma once

#include "exe/elf.hpp"
#include "exe/field_sink.hpp"

namespace bdelta::exe {

// A table of the file, in memory or not; without bytes where there is none.
struct FileTable {
  std::uint64_t pos = 0;
  std::uint64_t size_bytes = 0;
};

// Of an entry of a table of symbols.
inline std::uint8_t symbol_bytes(const FieldSink& sink) noexcept { return sink.image().bits64 ? 24 : 16; }

// The table at an address, up to the end of its section, which the dynamic table doesn't tell.
[[nodiscard]] FileTable elf_table_at(const FieldSink& sink, std::uint64_t address);

// The unwind tables of 32-bit ARM.
void find_arm_unwind_fields(FieldSink& sink, const ElfHeader& header);

// Symbols, hash tables, and in wide images addresses of code in what is not loaded.
void find_elf_symbol_fields(FieldSink& sink, const ElfHeader& header);

}  // namespace bdelta::exe
