#include "exe/rebuild_memory.hpp"

#include <algorithm>
#include <array>

#include "exe/listed_entries.hpp"
#include "exe/rebuilt_entries.hpp"

namespace bdelta::exe {
namespace {

// While tables of a kind are made; what is kept of them then is less.
std::uint64_t memory_of_lists(const SortedTable& table, Machine machine) {
  switch (table.kind) {
    case SortedTableKind::kBaseRelocations: return table.size_bytes * 8;
    case SortedTableKind::kFunctionStarts: return table.size_bytes * 16;
    case SortedTableKind::kMixedUnwindPages: return table.size_bytes * 14;
    default: break;
  }
  static_assert(sizeof(OldEntry) + sizeof(NewEntry) <= 56);
  return table.size_bytes / entry_bytes(table.kind, machine) * 56;
}

}  // namespace

std::uint64_t rebuild_memory_bytes(const std::vector<Image>& images, std::span<const SortedTable> tables,
                                   KindSet kinds) noexcept {
  std::uint64_t table_bytes = 0;
  std::array<std::uint64_t, kSortedTableKindCount> more_bytes{};  // that a kind takes while it is made
  for (const SortedTable& table : tables) {
    if (!has_tables(kinds, table.kind)) continue;
    table_bytes += table.size_bytes;
    const std::uint64_t lists_bytes = memory_of_lists(table, images[table.image].machine);
    more_bytes[static_cast<std::size_t>(table.kind)] += lists_bytes - std::min(lists_bytes, table.size_bytes);
  }
  return table_bytes + *std::max_element(more_bytes.begin(), more_bytes.end());
}

}  // namespace bdelta::exe
