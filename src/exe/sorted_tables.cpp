#include "exe/sorted_tables.hpp"

#include <algorithm>

#include "base/varint.hpp"
#include "exe/elf.hpp"
#include "exe/file_number.hpp"
#include "exe/images.hpp"
#include "exe/layout.hpp"
#include "exe/pe.hpp"

namespace bdelta::exe {
namespace {

constexpr std::uint64_t kPageBytes = 4096;
constexpr std::size_t kBlockHeadBytes = 8;
constexpr std::uint64_t kLastRva = 0xffffffff;

// ELF's names and values of what is read here.
constexpr std::uint64_t kDtRela = 7, kDtRelaBytes = 8, kDtRel = 17, kDtRelBytes = 18;

bool is_zero(ByteSpan bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

// Sites of one page, which ascend, and a zero behind an odd number of them.
bool is_block_in_order(ByteSpan entries) {
  std::uint32_t before = 0;
  for (std::size_t at = 0; at < entries.size(); at += 2) {
    const std::uint32_t entry = load_le<std::uint16_t>(entries.data() + at);
    if (entry == 0) return at != 0 && at + 2 == entries.size();
    const std::uint32_t site = (entry & 0xfff) * 16 + (entry >> 12);
    if (entry >> 12 == 0 || site < before) return false;
    before = site;
  }
  return true;
}

// As write_base_relocations would do it.
bool are_blocks_in_order(ByteSpan table) {
  std::size_t at = 0;
  for (std::uint64_t first_page = 0; table.size() - at > kBlockHeadBytes;) {
    const std::uint64_t page = load_le<std::uint32_t>(table.data() + at);
    const std::uint32_t block_bytes = load_le<std::uint32_t>(table.data() + at + 4);
    if (block_bytes == 0) break;
    if (page < first_page || page % kPageBytes != 0) return false;
    if (block_bytes <= kBlockHeadBytes || block_bytes % 4 != 0 || block_bytes > table.size() - at) return false;
    if (!is_block_in_order(table.subspan(at + kBlockHeadBytes, block_bytes - kBlockHeadBytes))) return false;
    first_page = page + kPageBytes;
    at += block_bytes;
  }
  return at != 0 && is_zero(table.subspan(at));
}

// As write_starts would do it: gaps in as few bytes as they need, of 32 bits in all.
bool are_starts_in_order(ByteSpan table) {
  ByteCursor cursor(table);
  std::uint64_t rva = 0;
  while (cursor.available() > 0) {
    const std::uint64_t gap = cursor.varint();
    if (!cursor.ok() || gap > kLastRva - rva) return false;
    if (gap == 0) break;
    rva += gap;
  }
  return rva != 0 && is_zero(table.last(cursor.available()));
}

// The first number of an entry, so that greater is later: that of an unwind index is signed.
std::uint64_t start_of(const std::uint8_t* entry, SortedTableKind kind, Machine machine) {
  if (kind == SortedTableKind::kRelativeRelocations && has_addends(machine)) return load_le<std::uint64_t>(entry);
  const std::uint32_t start = load_le<std::uint32_t>(entry);
  return kind == SortedTableKind::kUnwindIndex ? start ^ 0x80000000u : start;
}

// Those of mixed pages are looked at when the table is found.
bool is_in_order(ByteSpan table, SortedTableKind kind, Machine machine) {
  if (kind == SortedTableKind::kMixedUnwindPages) return true;
  if (kind == SortedTableKind::kBaseRelocations) return are_blocks_in_order(table);
  if (kind == SortedTableKind::kFunctionStarts) return are_starts_in_order(table);
  const std::uint64_t count = entry_count(kind, machine, table.size());
  const auto start = [&](std::uint64_t i) { return start_of(table.data() + entry_at(kind, machine, i), kind, machine); };
  for (std::uint64_t i = 1; i < count; ++i) {
    if (start(i) <= start(i - 1)) return false;
  }
  return count != 0;
}

void add_pe_tables(ByteSpan file, const Image& image, std::vector<SortedTable>& tables) {
  const std::optional<PeHeader> header = read_pe_header(file, image.file_pos, {});
  if (!header) return;
  const ImageLayout layout(image);
  const auto add = [&](std::size_t index, SortedTableKind kind, std::uint64_t unit_bytes) {
    const PeDirectory& directory = header->directories[index];
    SortedTable table{0, directory.size_bytes - directory.size_bytes % unit_bytes, kind};
    if (directory.rva != 0 && layout.file_pos_of(image.base_address + directory.rva, table.pos)) tables.push_back(table);
  };
  add(kPeRelocations, SortedTableKind::kBaseRelocations, 4);
  if (image.machine == Machine::kX86_64 || image.machine == Machine::kArm64) {
    add(kPeExceptions, SortedTableKind::kFunctions, entry_bytes(SortedTableKind::kFunctions, image.machine));
  }
}

// The one encoding that linkers use: a count of 32 bits, pairs of 32 bits that count from the head.
void add_unwind_index(ByteSpan file, const ElfSegment& segment, std::vector<SortedTable>& tables) {
  constexpr std::uint8_t kVersion = 1, kCount32 = 0x03, kPairs32 = 0x3b;
  const ByteSpan head = bytes_at(file, segment.file_pos, kUnwindIndexHeadBytes);
  if (head.empty() || segment.size_bytes < kUnwindIndexHeadBytes) return;
  if (head[0] != kVersion || head[2] != kCount32 || head[3] != kPairs32) return;
  const std::uint64_t size_bytes = 8 * std::uint64_t{load_le<std::uint32_t>(head.data() + 8)};
  if (size_bytes > segment.size_bytes - kUnwindIndexHeadBytes) return;
  tables.push_back({segment.file_pos + kUnwindIndexHeadBytes, size_bytes, SortedTableKind::kUnwindIndex, 0, segment.file_pos});
}

// Linkers put those that count from where the image is loaded first, by site.
void add_relative_relocations(ByteSpan file, const Image& image, const ElfSegment& dynamic,
                              std::vector<SortedTable>& tables) {
  constexpr SortedTableKind kRelative = SortedTableKind::kRelativeRelocations;
  const std::uint32_t wanted = relative_relocation_type(image.machine);
  if (wanted == 0) return;
  const std::uint64_t word_bytes = has_addends(image.machine) ? 8 : 4;
  const auto word_at = [&](std::uint64_t pos) {
    return word_bytes == 8 ? number_at<std::uint64_t>(file, pos) : number_at<std::uint32_t>(file, pos);
  };
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  for (std::uint64_t at = 0; at + 2 * word_bytes <= dynamic.size_bytes; at += 2 * word_bytes) {
    const std::uint64_t tag = word_at(dynamic.file_pos + at);
    const std::uint64_t value = word_at(dynamic.file_pos + at + word_bytes);
    if (tag == 0) break;
    if (tag == (word_bytes == 8 ? kDtRela : kDtRel)) address = value;
    if (tag == (word_bytes == 8 ? kDtRelaBytes : kDtRelBytes)) size_bytes = value;
  }
  SortedTable table{0, 0, kRelative};
  if (!ImageLayout(image).file_pos_of(address, table.pos)) return;
  const std::uint64_t room = std::min(size_bytes, image.file_pos + image.size_bytes - table.pos);
  const std::uint64_t step_bytes = entry_bytes(kRelative, image.machine);
  while (room - table.size_bytes >= step_bytes && word_at(table.pos + table.size_bytes + word_bytes) == wanted) {
    table.size_bytes += step_bytes;
  }
  tables.push_back(table);
}

void add_elf_tables(ByteSpan file, const Image& image, std::vector<SortedTable>& tables) {
  const std::optional<ElfHeader> header = read_elf_header(file, image.file_pos, {});
  if (!header) return;
  const auto first_of = [&](std::uint32_t type) {
    return std::find_if(header->segments.begin(), header->segments.end(),
                        [&](const ElfSegment& segment) { return segment.type == type; });
  };
  const auto index = first_of(kPtGnuEhFrame);
  if (index != header->segments.end()) add_unwind_index(file, *index, tables);
  const auto dynamic = first_of(kPtDynamic);
  if (dynamic != header->segments.end()) add_relative_relocations(file, image, *dynamic, tables);
}

bool lies_in(const Image& image, const SortedTable& table) {
  return table.pos >= image.file_pos && range_fits(table.pos - image.file_pos, table.size_bytes, image.size_bytes);
}

}  // namespace

void write_base_relocations(const std::vector<std::uint64_t>& sites, MutableByteSpan table) {
  std::fill(table.begin(), table.end(), std::uint8_t{0});
  std::size_t at = 0;
  for (auto site = sites.begin(); site != sites.end() && table.size() - at >= kBlockHeadBytes + 4;) {
    const std::uint64_t page = *site / 16 / kPageBytes;
    std::size_t next = at + kBlockHeadBytes;
    for (; site != sites.end() && *site / 16 / kPageBytes == page && next < table.size(); ++site, next += 2) {
      const std::uint64_t entry = (*site & 0xf) << 12 | (*site / 16) % kPageBytes;
      store_le<std::uint16_t>(table.data() + next, static_cast<std::uint16_t>(entry));
    }
    next += next % 4;
    store_le<std::uint32_t>(table.data() + at, static_cast<std::uint32_t>(page * kPageBytes));
    store_le<std::uint32_t>(table.data() + at + 4, static_cast<std::uint32_t>(next - at));
    at = next;
  }
}

void write_page_heads(std::uint64_t entry_count, MutableByteSpan table) {
  for (std::uint64_t page = 0; page < table.size(); page += kUnwindPageBytes) {
    const std::uint64_t here = std::min(entry_count, kUnwindPageEntries);
    entry_count -= here;
    store_le<std::uint32_t>(table.data() + page, kUnwindPageKind);
    store_le<std::uint32_t>(table.data() + page + 4, static_cast<std::uint32_t>(here << 16 | kUnwindPageHeadBytes));
  }
}

void write_starts(const std::vector<std::uint64_t>& sites, MutableByteSpan table) {
  std::fill(table.begin(), table.end(), std::uint8_t{0});
  std::uint64_t before = 0;
  Bytes gap;
  for (const std::uint64_t site : sites) {
    if (site / 16 == before) continue;  // a gap of 0 is the end
    gap.clear();
    append_varint(gap, site / 16 - before);
    if (gap.size() > table.size()) return;
    std::copy(gap.begin(), gap.end(), table.begin());
    table = table.subspan(gap.size());
    before = site / 16;
  }
}

std::vector<SortedTable> find_sorted_tables(ByteSpan file, const std::vector<Image>& images) {
  std::vector<SortedTable> all;
  for (std::size_t i = 0; i < images.size(); ++i) {
    std::vector<SortedTable> tables;
    const ByteSpan bytes = up_to_end(file, images[i]);
    if (images[i].format == ImageFormat::kPe) add_pe_tables(bytes, images[i], tables);
    if (images[i].format == ImageFormat::kElf) add_elf_tables(bytes, images[i], tables);
    if (images[i].format == ImageFormat::kMachO) add_macho_sorted_tables(bytes, images[i], tables);
    std::stable_sort(tables.begin(), tables.end(),
                     [](const SortedTable& a, const SortedTable& b) { return a.pos < b.pos; });
    std::uint64_t end = 0;
    for (SortedTable& table : tables) {
      if (table.pos < end || !lies_in(images[i], table)) continue;
      if (!is_in_order(bytes_at(file, table.pos, table.size_bytes), table.kind, images[i].machine)) continue;
      table.image = static_cast<std::uint32_t>(i);
      end = table.pos + table.size_bytes;
      all.push_back(table);
    }
  }
  return all;
}

}  // namespace bdelta::exe
