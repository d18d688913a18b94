// What the readers of ELF's tables share, and the readers of symbols.
#pragma once

#include "exe/elf.hpp"
#include "exe/field_sink.hpp"

namespace bdelta::exe {

// Reads numbers as wide as the image's pointers.
struct Word {
  const FieldSink& sink;
  std::uint64_t bytes = sink.image().bits64 ? 8 : 4;

  std::uint64_t at(std::uint64_t pos) const {
    return bytes == 8 ? number_at<std::uint64_t>(sink.file(), pos) : number_at<std::uint32_t>(sink.file(), pos);
  }
};

// A table of the file, in memory or not; without bytes where there is none.
struct FileTable {
  std::uint64_t pos = 0;
  std::uint64_t size_bytes = 0;
};

inline constexpr std::uint8_t kWideSymbolBytes = 24;

// The table at an address, up to the end of its section, which the dynamic table doesn't tell.
[[nodiscard]] FileTable elf_table_at(const FieldSink& sink, std::uint64_t address);

// Symbols, hash tables, and in wide images addresses of code in what is not loaded.
void find_elf_symbol_fields(FieldSink& sink, const ElfHeader& header);

}  // namespace bdelta::exe
