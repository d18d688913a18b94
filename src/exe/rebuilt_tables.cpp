// Covers, and not the owners of bytes, tell where sites and functions went: what several covers copy is in NEW as often.
// What an entry says beside that (unwind information, an entry of .eh_frame, an addend) is led like any other reference.
#include "exe/rebuilt_tables.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "exe/listed_entries.hpp"
#include "exe/rebuilt_entries.hpp"
#include "parallel/sort.hpp"

namespace bdelta::exe {
namespace {

constexpr std::uint64_t kMost32 = 0xffffffff;
constexpr std::uint32_t kEntriesToLook = 1 << 13;  // between two looks at the watch

// What a table of the target lists: sites, or entries.
struct Lists {
  std::vector<std::uint64_t> sites;
  std::vector<NewEntry> entries;
};

// Makes the tables of one kind.
class Rebuilder {
 public:
  Rebuilder(const RebuildInputs& in, const Listed& listed, const Predictor& predictor)
      : in_(in), listed_(listed), predictor_(predictor) {}

  // The image of the target that most of what lies in the table's own image and is listed went to, the first of equals.
  // False if nothing went anywhere, if that is for another machine, or if the table counts from nowhere.
  [[nodiscard]] bool find_target(const SortedTable& table, std::size_t& image) const;

  // What the table lists, and the base of `table`, of which is known which one it is and whose.
  [[nodiscard]] Lists lists_of(RebuiltTable& table) const;

  // The bytes of `table`. Asks for nothing of OLD's entries.
  void write(const Lists& lists, RebuiltTable& table) const;

 private:
  // Calls body(cover number, begin, end) for the stretches of the source that covers copy into an image.
  template <class Body>
  void for_each_stretch(const Image& image, Body&& body) const;

  [[nodiscard]] std::vector<std::uint64_t> new_sites(const RebuiltTable& table) const;
  [[nodiscard]] std::vector<NewEntry> new_entries(const RebuiltTable& table) const;
  [[nodiscard]] NewEntry led(const OldEntry& old, std::uint32_t cover, std::uint64_t start, std::size_t image) const;
  [[nodiscard]] std::uint64_t new_base(const RebuiltTable& table) const;

  const RebuildInputs& in_;
  const Listed& listed_;
  const Predictor& predictor_;
};

bool Rebuilder::find_target(const SortedTable& table, std::size_t& image) const {
  std::uint64_t base = 0;
  if (!base_of(in_.source, table, base)) return false;
  const Image& own = in_.source.all[table.image];
  const std::uint64_t own_end = own.file_pos + own.size_bytes;
  std::vector<std::uint64_t> counts(in_.target.all.size());
  const auto count = [&](std::uint64_t pos) {
    const std::uint32_t owner = in_.map.owner_before(pos);
    if (owner == OwnerMap::kNoCover) return;
    const std::size_t to = in_.target.image_at(in_.map.moved(owner, pos));
    if (to < counts.size()) ++counts[to];
  };
  const std::vector<std::uint64_t>& sites = listed_.sites;
  for (auto site = std::lower_bound(sites.begin(), sites.end(), own.file_pos * 16);
       site != sites.end() && *site / 16 < own_end; ++site) {
    count(*site / 16);
  }
  const auto lies_before = [](const OldEntry& entry, std::uint64_t pos) { return entry.pos < pos; };
  for (auto entry = std::lower_bound(listed_.entries.begin(), listed_.entries.end(), own.file_pos, lies_before);
       entry != listed_.entries.end() && entry->pos < own_end; ++entry) {
    count(entry->pos);
  }
  const auto most = std::max_element(counts.begin(), counts.end());
  if (most == counts.end() || *most == 0) return false;
  image = static_cast<std::size_t>(most - counts.begin());
  return in_.target.all[image].machine == own.machine;
}

template <class Body>
void Rebuilder::for_each_stretch(const Image& image, Body&& body) const {
  const Covers& covers = in_.map.covers();
  const std::uint64_t image_end = image.file_pos + image.size_bytes;
  auto cover = std::partition_point(covers.begin(), covers.end(),
                                    [&](const Cover& c) { return c.target_end() <= image.file_pos; });
  for (; cover != covers.end() && cover->target_pos < image_end; ++cover) {
    const std::uint64_t begin = std::max(cover->target_pos, image.file_pos) - cover->target_pos;
    const std::uint64_t end = std::min(cover->target_end(), image_end) - cover->target_pos;
    body(static_cast<std::uint32_t>(cover - covers.begin()), cover->source_pos + begin, cover->source_pos + end);
  }
}

std::vector<std::uint64_t> Rebuilder::new_sites(const RebuiltTable& table) const {
  const std::vector<std::uint64_t>& old = listed_.sites;
  const auto most = static_cast<std::size_t>(most_sites(table.old.kind, table.old.size_bytes));
  std::vector<std::uint64_t> sites;
  sites.reserve(most);
  Pace pace(in_.watch, kEntriesToLook);
  for_each_stretch(in_.target.all[table.target_image], [&](std::uint32_t cover, std::uint64_t begin, std::uint64_t end) {
    auto site = std::lower_bound(old.begin(), old.end(), begin * 16);
    while (site != old.end() && *site < end * 16 && sites.size() < most) {
      pace.step();
      // A hostile table has one site a million times, which each take room.
      const auto next = site + 1 != old.end() && site[1] == *site ? std::upper_bound(site, old.end(), *site) : site + 1;
      const auto count = std::min(static_cast<std::size_t>(next - site), most - sites.size());
      std::uint64_t address = 0;
      if (in_.target.layouts[table.target_image].address_of(in_.map.moved(cover, *site / 16), address)) {
        const std::uint64_t rva = address - table.base_address;
        if (rva <= kMost32) sites.insert(sites.end(), count, rva * 16 + *site % 16);
      }
      site = next;
    }
  });
  sort_in_place(std::span(sites), std::less<>(), in_.watch);
  sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
  return sites;
}

// The end of a function stays with its last byte. What leads nowhere known stays what it was.
NewEntry Rebuilder::led(const OldEntry& old, std::uint32_t cover, std::uint64_t start, std::size_t image) const {
  NewEntry entry{start, start + old.size_bytes, old.more, old.leads != 0,
                 static_cast<std::uint8_t>(old.flags)};
  const std::uint64_t old_end = old.pos + old.size_bytes;
  std::uint64_t address = 0;
  if (old_end > in_.map.covers()[cover].source_end() &&
      in_.source.layouts[old.image].address_of(old_end - 1, address) &&
      predictor_.lead(old.image, address, image, address) && address >= start) {
    entry.end = address + 1;
  }
  if (old.leads && predictor_.lead(old.image, old.more, image, address)) entry.more = address;
  return entry;
}

std::vector<NewEntry> Rebuilder::new_entries(const RebuiltTable& table) const {
  const std::vector<OldEntry>& old = listed_.entries;
  const std::size_t image = table.target_image;
  const Machine machine = in_.target.all[image].machine;
  const auto most = static_cast<std::size_t>(entry_count(table.old.kind, machine, table.old.size_bytes));
  std::vector<NewEntry> entries;
  entries.reserve(most);
  Pace pace(in_.watch, kEntriesToLook);
  const auto lies_before = [](const OldEntry& entry, std::uint64_t pos) { return entry.pos < pos; };
  for_each_stretch(in_.target.all[image], [&](std::uint32_t cover, std::uint64_t begin, std::uint64_t end) {
    for (auto entry = std::lower_bound(old.begin(), old.end(), begin, lies_before);
         entry != old.end() && entry->pos < end && entries.size() < most; ++entry) {
      pace.step();
      std::uint64_t start = 0;
      if (in_.source.all[entry->image].machine != machine) continue;
      if (!in_.target.layouts[image].address_of(in_.map.moved(cover, entry->pos), start)) continue;
      entries.push_back(led(*entry, cover, start, image));
    }
  });
  const auto comes_before = [](const NewEntry& a, const NewEntry& b) {
    return std::tie(a.start, a.end, a.more, a.leads, a.flags) < std::tie(b.start, b.end, b.more, b.leads, b.flags);
  };
  sort_in_place(std::span(entries), comes_before, in_.watch);
  const auto starts_as = [](const NewEntry& a, const NewEntry& b) { return a.start == b.start; };
  entries.erase(std::unique(entries.begin(), entries.end(), starts_as), entries.end());
  return entries;
}

// What counts from a position of its own counts from where that went, or else where it was.
std::uint64_t Rebuilder::new_base(const RebuiltTable& table) const {
  std::uint64_t base = 0;
  if (table.old.kind == SortedTableKind::kRelativeRelocations) return base;
  if (!counts_from_own_pos(table.old.kind)) return in_.target.all[table.target_image].base_address;
  std::uint64_t old_base = 0;
  (void)base_of(in_.source, table.old, old_base);
  return predictor_.lead(table.old.image, old_base, table.target_image, base) ? base : old_base;
}

Lists Rebuilder::lists_of(RebuiltTable& table) const {
  table.base_address = new_base(table);
  if (lists_sites(table.old.kind)) return {new_sites(table), {}};
  return {{}, new_entries(table)};
}

void Rebuilder::write(const Lists& lists, RebuiltTable& table) const {
  table.bytes.resize(static_cast<std::size_t>(table.old.size_bytes));
  switch (table.old.kind) {
    case SortedTableKind::kBaseRelocations: return write_base_relocations(lists.sites, table.bytes);
    case SortedTableKind::kFunctionStarts: return write_starts(lists.sites, table.bytes);
    default: return write_entries(lists.entries, in_, predictor_, table);
  }
}

// All lists are made before any bytes, so that OLD's entries don't take room beside these.
void rebuild_kind(const RebuildInputs& in, std::span<const SortedTable> tables, SortedTableKind kind,
                  const Predictor& predictor, std::vector<RebuiltTable>& rebuilt) {
  Listed listed = list_entries(in.file, in.source, tables, kind, in.watch);
  const Rebuilder rebuilder(in, listed, predictor);
  const std::size_t first = rebuilt.size();
  std::vector<Lists> lists;
  // One for each image of the target, so that its covers are gone through once, however many tables lead to it.
  std::vector<bool> is_made(in.target.all.size());
  for (const SortedTable& table : tables) {
    RebuiltTable one{table, 0, 0, {}};
    if (table.kind != kind || !rebuilder.find_target(table, one.target_image)) continue;
    if (is_made[one.target_image]) continue;
    is_made[one.target_image] = true;
    lists.push_back(rebuilder.lists_of(one));
    rebuilt.push_back(std::move(one));
  }
  listed = {};
  for (std::size_t i = 0; i < lists.size(); ++i) rebuilder.write(std::exchange(lists[i], {}), rebuilt[first + i]);
}

}  // namespace

std::vector<RebuiltTable> rebuild_tables(const RebuildInputs& in, std::span<const SortedTable> tables, KindSet kinds) {
  std::vector<RebuiltTable> rebuilt;
  const Predictor predictor(in.source, in.target, in.map, &in.labels);
  for (std::size_t i = 0; i < kSortedTableKindCount; ++i) {
    const auto kind = static_cast<SortedTableKind>(i);
    if (has_tables(kinds, kind)) rebuild_kind(in, tables, kind, predictor, rebuilt);
  }
  std::sort(rebuilt.begin(), rebuilt.end(),
            [](const RebuiltTable& a, const RebuiltTable& b) { return a.old.pos < b.old.pos; });
  return rebuilt;
}

void put_tables(std::span<const RebuiltTable> tables, std::uint64_t pos, MutableByteSpan bytes) noexcept {
  const std::uint64_t end = pos + bytes.size();
  auto table = std::partition_point(tables.begin(), tables.end(), [&](const RebuiltTable& t) {
    return t.old.pos + t.bytes.size() <= pos;
  });
  for (; table != tables.end() && table->old.pos < end; ++table) {
    const std::uint64_t first = std::max(pos, table->old.pos);
    const std::uint64_t last = std::min(end, table->old.pos + table->bytes.size());
    std::memcpy(bytes.data() + (first - pos), table->bytes.data() + (first - table->old.pos),
                static_cast<std::size_t>(last - first));
  }
}

}  // namespace bdelta::exe
