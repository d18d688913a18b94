#include "exe/listed_entries.hpp"

#include <algorithm>

namespace bdelta::exe {
namespace {

void list_places(ByteSpan file, const Images& images, const SortedTable& table, std::uint64_t base, Listed& listed) {
  for_each_place(file.subspan(static_cast<std::size_t>(table.pos), static_cast<std::size_t>(table.size_bytes)),
                 [&](std::uint64_t place) {
                   std::uint64_t pos = 0;
                   if (!images.layouts[table.image].file_pos_of(base + place / 16, pos)) return;
                   listed.places.push_back(pos * 16 + place % 16);
                 });
}

void list_entries_of(ByteSpan file, const Images& images, const SortedTable& table, std::uint64_t base, Listed& listed) {
  const Machine machine = images.all[table.image].machine;
  for (std::uint64_t at = 0; at < table.size_bytes; at += entry_bytes(table.kind, machine)) {
    const std::uint8_t* bytes = file.data() + table.pos + at;
    const auto word = [&](std::size_t i) { return load_le<std::uint32_t>(bytes + 4 * i); };
    std::uint64_t start = base;
    OldEntry entry;
    entry.image = table.image;
    switch (table.kind) {
      case SortedTableKind::kBaseRelocations: return;
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

bool base_of(const Images& images, const SortedTable& table, std::uint64_t& base) {
  if (table.kind == SortedTableKind::kUnwindIndex) {
    return images.layouts[table.image].address_of(table.pos - kUnwindIndexHeadBytes, base);
  }
  base = table.kind == SortedTableKind::kRelativeRelocations ? 0 : images.all[table.image].base_address;
  return true;
}

Listed list_entries(ByteSpan file, const Images& images, std::span<const SortedTable> tables, SortedTableKind kind) {
  std::uint64_t size_bytes = 0;
  for (const SortedTable& table : tables) size_bytes += table.kind == kind ? table.size_bytes : 0;
  Listed listed;
  const bool lists_places = kind == SortedTableKind::kBaseRelocations;
  lists_places ? listed.places.reserve(static_cast<std::size_t>(size_bytes / 2))
               : listed.entries.reserve(static_cast<std::size_t>(size_bytes / 8));
  for (const SortedTable& table : tables) {
    std::uint64_t base = 0;
    if (table.kind != kind || !base_of(images, table, base)) continue;
    lists_places ? list_places(file, images, table, base, listed) : list_entries_of(file, images, table, base, listed);
  }
  std::sort(listed.places.begin(), listed.places.end());
  std::sort(listed.entries.begin(), listed.entries.end(),
            [](const OldEntry& a, const OldEntry& b) { return a.pos < b.pos; });
  return listed;
}

}  // namespace bdelta::exe
