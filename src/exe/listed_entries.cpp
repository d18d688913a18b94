#include "exe/listed_entries.hpp"

#include <functional>

#include "exe/images.hpp"
#include "exe/unwind_pages.hpp"
#include "parallel/sort.hpp"

namespace bdelta::exe {
namespace {

constexpr std::uint32_t kListedToLook = 1 << 16;  // between two looks at the watch

// Of function starts, too, which are sites of type 0.
void list_sites(ByteSpan file, const Images& images, const SortedTable& table, std::uint64_t base, Listed& listed,
                Watch* watch) {
  Pace pace(watch, kListedToLook);
  const auto add = [&](std::uint64_t rva, std::uint64_t type) {
    pace.step();
    std::uint64_t pos = 0;
    if (images.layouts[table.image].file_pos_of(base + rva, pos)) listed.sites.push_back(pos * 16 + type);
  };
  const ByteSpan bytes = file.subspan(static_cast<std::size_t>(table.pos), static_cast<std::size_t>(table.size_bytes));
  if (table.kind == SortedTableKind::kFunctionStarts) {
    for_each_start(bytes, [&](std::uint64_t rva) { add(rva, 0); });
  } else {
    for_each_site(bytes, [&](std::uint64_t site) { add(site / 16, site % 16); });
  }
}

void list_mixed_pages(ByteSpan file, const Images& images, const SortedTable& table, std::uint64_t base, Listed& listed,
                      Watch* watch) {
  const Image& image = images.all[table.image];
  file = up_to_end(file, image);
  const auto info = read_unwind_info(file, image);
  if (!info) return;
  Pace pace(watch, kListedToLook);
  for (const UnwindPage& page : info->pages) {
    for (std::uint32_t i = 0; i < page.entry_count; ++i) {
      pace.step();
      const UnwindEntry found = unwind_entry(file, *info, page, i);
      OldEntry entry;
      entry.image = table.image & OldEntry::kImageMask;
      set_encoding(entry, found.encoding, image.machine, base);
      if (images.layouts[table.image].file_pos_of(image.base_address + found.rva, entry.pos)) listed.entries.push_back(entry);
    }
  }
}

void list_entries_of(ByteSpan file, const Images& images, const SortedTable& table, std::uint64_t base, Listed& listed,
                     Watch* watch) {
  const Machine machine = images.all[table.image].machine;
  const std::uint64_t count = entry_count(table.kind, machine, table.size_bytes);
  Pace pace(watch, kListedToLook);
  for (std::uint64_t i = 0; i < count; ++i) {
    pace.step();
    const std::uint8_t* bytes = file.data() + table.pos + entry_at(table.kind, machine, i);
    const auto word = [&](std::size_t number) { return load_le<std::uint32_t>(bytes + 4 * number); };
    std::uint64_t start = base;
    OldEntry entry;
    entry.image = table.image & OldEntry::kImageMask;
    switch (table.kind) {
      case SortedTableKind::kBaseRelocations:
      case SortedTableKind::kFunctionStarts:
      case SortedTableKind::kMixedUnwindPages: return;
      case SortedTableKind::kFunctions:
        start += word(0);
        if (machine == Machine::kX86_64) {
          entry.size_bytes = word(1) - word(0);
          entry.more = base + word(2);
        } else {
          entry.leads = word(1) % 4 == 0;
          entry.more = entry.leads ? base + word(1) : word(1);
        }
        break;
      case SortedTableKind::kUnwindPages:
        start = images.all[table.image].base_address + word(0);
        set_encoding(entry, word(1), machine, base);
        break;
      case SortedTableKind::kUnwindIndex:
        start += sign_extended(word(0));
        entry.more = base + sign_extended(word(1));
        break;
      case SortedTableKind::kRelativeRelocations:
        entry.leads = has_addends(machine);
        start = entry.leads ? load_le<std::uint64_t>(bytes) : word(0);
        entry.more = entry.leads ? load_le<std::uint64_t>(bytes + 16) : word(1);
        break;
    }
    if (images.layouts[table.image].file_pos_of(start, entry.pos)) listed.entries.push_back(entry);
  }
}

}  // namespace

void set_encoding(OldEntry& entry, std::uint32_t encoding, Machine machine, std::uint64_t base) {
  entry.leads = (encoding & kEncodingModeMask) == frame_mode(machine);
  entry.more = entry.leads ? base + (encoding & kEncodingOffsetMask) : encoding;
  entry.flags = static_cast<std::uint8_t>(entry.leads ? encoding >> 24 : 0);
}

bool base_of(const Images& images, const SortedTable& table, std::uint64_t& base) {
  if (counts_from_own_pos(table.kind)) return images.layouts[table.image].address_of(table.base_pos, base);
  base = table.kind == SortedTableKind::kRelativeRelocations ? 0 : images.all[table.image].base_address;
  return true;
}

Listed list_entries(ByteSpan file, const Images& images, std::span<const SortedTable> tables, SortedTableKind kind,
                    Watch* watch) {
  std::uint64_t most = 0;
  for (const SortedTable& table : tables) {
    if (table.kind == kind) most += most_listed(kind, images.all[table.image].machine, table.size_bytes);
  }
  Listed listed;
  lists_sites(kind) ? listed.sites.reserve(static_cast<std::size_t>(most))
                     : listed.entries.reserve(static_cast<std::size_t>(most));
  for (const SortedTable& table : tables) {
    std::uint64_t base = 0;
    if (table.kind != kind || !base_of(images, table, base)) continue;
    if (lists_sites(kind)) {
      list_sites(file, images, table, base, listed, watch);
    } else if (kind == SortedTableKind::kMixedUnwindPages) {
      list_mixed_pages(file, images, table, base, listed, watch);
    } else {
      list_entries_of(file, images, table, base, listed, watch);
    }
  }
  sort_in_place(std::span(listed.sites), std::less<>(), watch);
  // Of equals the one listed first stays in front.
  sort_watched(listed.entries, [](const OldEntry& a, const OldEntry& b) { return a.pos < b.pos; }, watch);
  return listed;
}

}  // namespace bdelta::exe
