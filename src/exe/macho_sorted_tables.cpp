// Where the tables lie that linkers of Mach-O sort.
#include <algorithm>

#include "exe/file_number.hpp"
#include "exe/macho.hpp"
#include "exe/sorted_tables.hpp"
#include "exe/unwind_pages.hpp"

namespace bdelta::exe {
namespace {

void add_function_starts(ByteSpan file, const Image& image, const MachoHeader& header, std::vector<SortedTable>& tables) {
  const auto starts = std::find_if(header.commands.begin(), header.commands.end(),
                                   [](const MachoCommand& command) { return command.type == kLcFunctionStarts; });
  if (starts == header.commands.end()) return;
  tables.push_back({image.file_pos + number_at<std::uint32_t>(file, starts->file_pos + 8),
                    number_at<std::uint32_t>(file, starts->file_pos + 12), SortedTableKind::kFunctionStarts});
}

// How many entries the page has; 0 if it is of another kind.
std::uint64_t page_entries(ByteSpan file, std::uint64_t pos) {
  constexpr std::uint32_t kEntriesAt = kUnwindPageHeadBytes;
  if (number_at<std::uint32_t>(file, pos) != kUnwindPageKind) return 0;
  return number_at<std::uint16_t>(file, pos + 4) == kEntriesAt ? number_at<std::uint16_t>(file, pos + 6) : 0;
}

// All of an index of pages: the first is where its first entry says, and there are as many as there are entries before the
// last one, which leads nowhere.
void add_unwind_pages(ByteSpan file, const MachoHeader& header, std::vector<SortedTable>& tables) {
  const MachoSection* const section = find_section(file, header, "__unwind_info");
  const MachoSection* const frames = find_section(file, header, "__eh_frame");
  if (section == nullptr || frames == nullptr || section->size_bytes < 28) return;
  const std::uint64_t index_at = number_at<std::uint32_t>(file, section->file_pos + 20);
  const std::uint64_t index_count = number_at<std::uint32_t>(file, section->file_pos + 24);
  if (index_count < 2 || !range_fits(index_at, 12 * index_count, section->size_bytes)) return;
  const std::uint64_t first = number_at<std::uint32_t>(file, section->file_pos + index_at + 4);
  const std::uint64_t full_bytes = kUnwindPageBytes * (index_count - 2);
  if (!range_fits(first, full_bytes + kUnwindPageHeadBytes, section->size_bytes)) return;
  SortedTable table{section->file_pos + first, 0, SortedTableKind::kUnwindPages, 0, frames->file_pos};
  for (std::uint64_t i = 0; i + 2 < index_count; ++i) {
    if (page_entries(file, table.pos + kUnwindPageBytes * i) != kUnwindPageEntries) return;
  }
  const std::uint64_t last_entries = page_entries(file, table.pos + full_bytes);
  if (last_entries == 0 || last_entries > kUnwindPageEntries) return;
  table.size_bytes = full_bytes + kUnwindPageHeadBytes + 8 * last_entries;
  if (first + table.size_bytes <= section->size_bytes) tables.push_back(table);
}

// A linker was seen to list one function twice.
bool are_pages_in_order(ByteSpan file, const UnwindInfo& info) {
  std::uint32_t before = 0;
  for (const UnwindPage& page : info.pages) {
    for (std::uint32_t i = 0; i < page.entry_count; ++i) {
      const std::uint32_t rva = unwind_entry(file, info, page, i).rva;
      if (rva < before) return false;
      before = rva;
    }
  }
  return true;
}

void add_mixed_pages(ByteSpan file, const MachoHeader& header, std::vector<SortedTable>& tables) {
  const std::optional<UnwindInfo> info = read_unwind_info(file, header);
  if (!info || !are_pages_in_order(file, *info)) return;
  const MachoSection* const frames = find_section(file, header, "__eh_frame");
  tables.push_back({info->begin_pos, info->end_pos - info->begin_pos, SortedTableKind::kMixedUnwindPages, 0,
                    frames != nullptr ? frames->file_pos : info->begin_pos});
}

}  // namespace

void add_macho_sorted_tables(ByteSpan file, const Image& image, std::vector<SortedTable>& tables) {
  const std::optional<MachoHeader> header = read_macho_header(file, image.file_pos, {});
  if (!header) return;
  add_function_starts(file, image, *header, tables);
  const std::size_t count = tables.size();
  add_unwind_pages(file, *header, tables);
  if (tables.size() == count) add_mixed_pages(file, *header, tables);
}

}  // namespace bdelta::exe
