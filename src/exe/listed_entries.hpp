// What the sorted tables of OLD list, as sites in the file: read before any of them is made anew.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bdelta/io.hpp"
#include "exe/predict.hpp"
#include "exe/sorted_tables.hpp"

namespace bdelta::exe {

// An entry of a table of OLD.
struct OldEntry {
  static constexpr std::uint32_t kImageMask = (1u << 23) - 1;  // a patch has no more images than sections, which are fewer

  std::uint64_t pos = 0;   // of the function or of the relocation in the file
  std::uint64_t more = 0;  // address of its unwind information or its entry in .eh_frame, or addend
  std::uint32_t size_bytes = 0;  // of a function of PE for x86-64
  std::uint32_t image : 23 = 0;
  std::uint32_t leads : 1 = 1;  // whether `more` is an address
  std::uint32_t flags : 8 = 0;     // of unwind pages: the high bits of an encoding that leads
};

// What all tables of one kind list, by position in the file.
struct Listed {
  std::vector<std::uint64_t> sites;  // of base relocations: position * 16 + type; of function starts without a type
  std::vector<OldEntry> entries;      // of the others
};

// Fills all but the position of an entry of unwind pages; `base` is what encodings count from that lead into __eh_frame.
void set_encoding(OldEntry& entry, std::uint32_t encoding, Machine machine, std::uint64_t base);

// Of the numbers in a table; false if they count from no address.
[[nodiscard]] bool base_of(const Images& images, const SortedTable& table, std::uint64_t& base);

// Of those of `tables`, which are of the file, that are of the kind. Takes at most four bytes for each of theirs, eight
// of function starts, six of mixed pages, and of entries as much again while they are sorted. The watch may be null.
[[nodiscard]] Listed list_entries(ByteSpan file, const Images& images, std::span<const SortedTable> tables,
                                  SortedTableKind kind, Watch* watch);

}  // namespace bdelta::exe
