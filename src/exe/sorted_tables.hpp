// Tables that a linker sorts by the addresses they list. Where functions or data changed places, entries change theirs,
// so no copy of the table as it was is right. But what it lists is known, and so the table can be made anew
// (rebuilt_tables.hpp).
//
// Sources: "PE Format" and "x64 exception handling" of Microsoft's documentation; "Linux Standard Base Core", exception
// frames; "System V Application Binary Interface", relocation; Apple's loader headers, LC_FUNCTION_STARTS.
#pragma once

#include <cstdint>
#include <vector>

#include "base/byte_cursor.hpp"
#include "base/bytes.hpp"
#include "bdelta/io.hpp"
#include "exe/image.hpp"

namespace bdelta::exe {

// The order is part of the format: a switch of the patch each. Append only.
enum class SortedTableKind : std::uint8_t {
  kBaseRelocations,      // PE: blocks of a page, 16 bits for each site in it
  kFunctions,            // PE: begin and unwind information, on x86-64 the end between them
  kUnwindIndex,          // ELF: the pairs of .eh_frame_hdr, behind its head
  kRelativeRelocations,  // ELF: site, type and with 64 bits addend, of what counts from where the image is loaded
  kFunctionStarts,       // Mach-O: how far each function begins behind the one before, as ulebs
  kUnwindPages,          // Mach-O: function and encoding, in pages
  kMixedUnwindPages,     // Mach-O: the same where pages are of either kind or not in a row
};
inline constexpr std::size_t kSortedTableKindCount = static_cast<std::size_t>(SortedTableKind::kMixedUnwindPages) + 1;

// Bytes [pos, pos + size_bytes) of the file.
struct SortedTable {
  std::uint64_t pos = 0;
  std::uint64_t size_bytes = 0;
  SortedTableKind kind = SortedTableKind::kBaseRelocations;
  std::uint32_t image = 0;
  std::uint64_t base_pos = 0;  // where that lies which other numbers than starts count from: of an unwind index its head, of
                               // unwind pages __eh_frame, of mixed ones without it the first page
};

inline constexpr std::uint64_t kUnwindIndexHeadBytes = 12;

// The pages of __unwind_info that have entries of two words, one behind the other and all but the last one full;
// unwind_pages.hpp has those of either kind.
inline constexpr std::uint64_t kUnwindPageBytes = 4096;
inline constexpr std::uint64_t kUnwindPageHeadBytes = 8;
inline constexpr std::uint64_t kUnwindPageEntries = (kUnwindPageBytes - kUnwindPageHeadBytes) / 8;
inline constexpr std::uint32_t kUnwindPageKind = 2;  // the first word of a head; the other is where entries begin, and how many
inline constexpr std::uint32_t kCompressedPageKind = 3;

// What an encoding says that leads into __eh_frame: how, in the bits of this mask, and where, in the low 24.
inline constexpr std::uint32_t kEncodingModeMask = 0x0f000000;
inline constexpr std::uint32_t kEncodingOffsetMask = 0x00ffffff;
[[nodiscard]] constexpr std::uint32_t frame_mode(Machine machine) noexcept {
  return machine == Machine::kArm64 ? 0x03000000 : 0x04000000;
}

// Of the relocations of ELF that are looked at; the others have the addend in the changed word.
[[nodiscard]] constexpr bool has_addends(Machine machine) noexcept {
  return machine == Machine::kX86_64 || machine == Machine::kArm64;
}

// Kinds that list sites and nothing of each, as numbers of any size.
[[nodiscard]] constexpr bool lists_sites(SortedTableKind kind) noexcept {
  return kind == SortedTableKind::kBaseRelocations || kind == SortedTableKind::kFunctionStarts;
}

// Kinds with numbers that count from a position in the image, not from its start.
[[nodiscard]] constexpr bool counts_from_own_pos(SortedTableKind kind) noexcept {
  return kind == SortedTableKind::kUnwindIndex || kind == SortedTableKind::kUnwindPages ||
         kind == SortedTableKind::kMixedUnwindPages;
}

// Whether the one may have become the other: unwind pages are of either kind, as their linker likes.
[[nodiscard]] constexpr bool is_same_table(SortedTableKind a, SortedTableKind b) noexcept {
  const auto family = [](SortedTableKind kind) {
    return kind == SortedTableKind::kMixedUnwindPages ? SortedTableKind::kUnwindPages : kind;
  };
  return family(a) == family(b);
}

// How many of these a table of so many bytes has at most.
[[nodiscard]] constexpr std::uint64_t most_sites(SortedTableKind kind, std::uint64_t size_bytes) noexcept {
  return kind == SortedTableKind::kFunctionStarts ? size_bytes : size_bytes / 2;
}

// Of an entry of the other kinds.
[[nodiscard]] constexpr std::size_t entry_bytes(SortedTableKind kind, Machine machine) noexcept {
  if (kind == SortedTableKind::kRelativeRelocations) return has_addends(machine) ? 24 : 8;
  return kind == SortedTableKind::kFunctions && machine == Machine::kX86_64 ? 12 : 8;
}

// How many entries a table of such a kind has, and where the i-th of them stands, which mixed pages tell themselves.
[[nodiscard]] constexpr std::uint64_t entry_count(SortedTableKind kind, Machine machine, std::uint64_t size_bytes) noexcept {
  if (kind == SortedTableKind::kMixedUnwindPages) return size_bytes / 4;  // at most
  if (kind != SortedTableKind::kUnwindPages) return size_bytes / entry_bytes(kind, machine);
  const std::uint64_t rest = size_bytes % kUnwindPageBytes;
  return size_bytes / kUnwindPageBytes * kUnwindPageEntries + (rest - (rest < 8 ? rest : 8)) / 8;
}
[[nodiscard]] constexpr std::uint64_t entry_at(SortedTableKind kind, Machine machine, std::uint64_t i) noexcept {
  if (kind != SortedTableKind::kUnwindPages) return i * entry_bytes(kind, machine);
  return i / kUnwindPageEntries * kUnwindPageBytes + kUnwindPageHeadBytes + i % kUnwindPageEntries * 8;
}

// Of sites or entries, at most.
[[nodiscard]] constexpr std::uint64_t most_listed(SortedTableKind kind, Machine machine, std::uint64_t size_bytes) noexcept {
  return lists_sites(kind) ? most_sites(kind, size_bytes) : entry_count(kind, machine, size_bytes);
}

// What a relocation says of its type where it counts from where the image is loaded; 0 for machines that are left alone.
[[nodiscard]] constexpr std::uint32_t relative_relocation_type(Machine machine) noexcept {
  switch (machine) {
    case Machine::kX86_64:
    case Machine::kX86_32: return 8;
    case Machine::kArm64: return 1027;
    case Machine::kArm32: return 23;
    default: return 0;
  }
}

// Calls body(RVA * 16 + type) for each site of base relocations, in the order of the table. Padding is left out.
template <class Body>
void for_each_site(ByteSpan table, Body&& body) {
  constexpr std::size_t kHeadBytes = 8;  // RVA of the page, size of the block
  for (std::size_t at = 0; table.size() - at >= kHeadBytes;) {
    const std::uint64_t page = load_le<std::uint32_t>(table.data() + at);
    const std::uint32_t block_bytes = load_le<std::uint32_t>(table.data() + at + 4);
    if (block_bytes < kHeadBytes || block_bytes > table.size() - at) return;
    for (std::size_t i = kHeadBytes; i + 2 <= block_bytes; i += 2) {
      const std::uint64_t entry = load_le<std::uint16_t>(table.data() + at + i);
      if (entry >> 12 != 0) body((page + (entry & 0xfff)) * 16 + (entry >> 12));
    }
    at += block_bytes;
  }
}

// Calls body(RVA) for each of the function starts, in the order of the table.
template <class Body>
void for_each_start(ByteSpan table, Body&& body) {
  ByteCursor cursor(table);
  for (std::uint64_t rva = 0; cursor.available() > 0;) {
    const std::uint64_t gap = cursor.varint();
    if (!cursor.ok() || gap == 0) return;
    body(rva += gap);
  }
}

// Writes as many of the sites, which ascend and are RVA * 16 + type, as there is room for, and zeros behind them. The
// room of base relocations is a multiple of 4.
void write_base_relocations(const std::vector<std::uint64_t>& sites, MutableByteSpan table);
void write_starts(const std::vector<std::uint64_t>& sites, MutableByteSpan table);

// Writes the heads of unwind pages that so many entries fill.
void write_page_heads(std::uint64_t entry_count, MutableByteSpan table);

// Adds those of one image of Mach-O, which may yet be out of order or not lie in it. For find_sorted_tables.
void add_macho_sorted_tables(ByteSpan file, const Image& image, std::vector<SortedTable>& tables);

// Those tables of the file that are as they would be written anew: sorted, and without gaps. Ascending, disjoint.
[[nodiscard]] std::vector<SortedTable> find_sorted_tables(ByteSpan file, const std::vector<Image>& images);

}  // namespace bdelta::exe
