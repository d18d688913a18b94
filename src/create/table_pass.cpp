#include "create/table_pass.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/deciding/prediction.hpp"
#include "create/level.hpp"
#include "create/unwind_marks.hpp"
#include "match/changed_bytes.hpp"
#include "match/cover_ranges.hpp"
#include "match/matcher.hpp"

namespace bdelta {
namespace {

ByteSpan part(ByteSpan bytes, std::uint64_t pos, std::uint64_t size_bytes) {
  return bytes.subspan(static_cast<std::size_t>(pos), static_cast<std::size_t>(size_bytes));
}

ByteSpan part(ByteSpan bytes, const exe::SortedTable& table) { return part(bytes, table.pos, table.size_bytes); }

MutableByteSpan part(MutableByteSpan bytes, const exe::SortedTable& table) {
  return bytes.subspan(static_cast<std::size_t>(table.pos), static_cast<std::size_t>(table.size_bytes));
}

ByteRange range_of(const exe::SortedTable& table) { return {table.pos, table.pos + table.size_bytes}; }

// Bytes that resemble nothing but those of the same number.
void put_noise(MutableByteSpan bytes, std::uint64_t number) {
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(number++ * 0x9E3779B97F4A7C15u >> 56);
}

// Tables one behind the other, so that many small ones take no more time than one large one.
class TableRow {
 public:
  void add(ByteSpan bytes, std::uint64_t pos) {
    begins_.push_back({bytes_.size(), pos});
    append(bytes_, bytes);
  }
  [[nodiscard]] ByteSpan bytes() const noexcept { return bytes_; }

  // A byte's position in the file, and how many of its table's bytes there are from it on.
  struct Place {
    std::uint64_t pos = 0;
    std::uint64_t rest_bytes = 0;
  };
  [[nodiscard]] Place at(std::uint64_t offset) const {
    const auto after = std::upper_bound(begins_.begin(), begins_.end(), offset,
                                        [](std::uint64_t wanted, const Begin& begin) { return wanted < begin.offset; });
    const std::uint64_t end = after != begins_.end() ? after->offset : bytes_.size();
    const Begin& begin = *std::prev(after);
    return {begin.pos + (offset - begin.offset), end - offset};
  }

 private:
  struct Begin {
    std::uint64_t offset;
    std::uint64_t pos;
  };
  Bytes bytes_;
  std::vector<Begin> begins_;
};

// The covers with `inside` in place of what they have of the tables.
Covers replaced(const Covers& covers, const ByteRanges& tables, const Covers& inside) {
  return merged(covers_in(outside_of(tables, ~std::uint64_t{0}), covers), inside);
}

bool has_base_at(const exe::Images& images, const exe::SortedTable& table, std::uint64_t& address) {
  return images.layouts[table.image].address_of(table.base_pos, address);
}

void put_label(const exe::Label& label, std::vector<exe::Label>& labels) {
  const auto key = [](const exe::Label& l) { return std::tuple(l.image, l.address); };
  const auto at = std::lower_bound(labels.begin(), labels.end(), label,
                                   [&](const exe::Label& a, const exe::Label& b) { return key(a) < key(b); });
  if (at != labels.end() && key(*at) == key(label)) {
    *at = label;
  } else {
    labels.insert(at, label);
  }
}

}  // namespace

std::vector<exe::RebuiltTable> TablePass::rebuild(const exe::OwnerMap& map, std::span<const exe::Label> labels,
                                                  exe::KindSet kinds) const {
  const exe::LabelIndex index(labels);
  return exe::rebuild_tables(
      {source_.file(), source_.images(), target_.images(), map, index, target_breaks_, pool_.watch()}, source_tables_, kinds);
}

// Of each table of the target the one of the source that became it.
std::vector<TablePass::Pair> TablePass::pairs_of(const std::vector<exe::RebuiltTable>& rebuilt) const {
  std::vector<Pair> pairs;
  for (const exe::SortedTable& table : target_tables_) {
    const auto is_its_own = [&](const exe::RebuiltTable& r) {
      return exe::is_same_table(r.old.kind, table.kind) && r.target_image == table.image;
    };
    const auto found = std::find_if(rebuilt.begin(), rebuilt.end(), is_its_own);
    if (found != rebuilt.end()) pairs.push_back({&*found, table});
  }
  return pairs;
}

// What the numbers of a table count from is a few bytes that may well differ, so covers may have it wrong.
void TablePass::add_base_labels(const exe::OwnerMap& map, std::vector<exe::Label>& labels) const {
  const std::vector<exe::RebuiltTable> rebuilt = rebuild(map, labels, kinds_ & exe::kTablesFromOwnPos);
  for (const Pair& pair : pairs_of(rebuilt)) {
    const exe::SortedTable& old = pair.rebuilt->old;
    exe::Label label{0, 0, old.image};
    if (!has_base_at(source_.images(), old, label.address) ||
        !has_base_at(target_.images(), pair.target, label.new_address)) {
      continue;
    }
    if (label.new_address != pair.rebuilt->base_address) put_label(label, labels);
  }
}

Covers TablePass::match(ByteSpan source, ByteSpan target) const {
  const LevelSettings settings = level_settings(kTableLevel);
  return std::move(Matcher(source, settings.match, {}, pool_).find(target, {0}).front());
}

exe::KindSet TablePass::kinds_that_gain(const std::vector<Pair>& pairs, ByteSpan old_image, ByteSpan new_image) const {
  exe::KindSet kinds = 0;
  for (std::size_t i = 0; i < exe::kSortedTableKindCount; ++i) {
    const auto kind = static_cast<exe::SortedTableKind>(i);
    TableRow labelled, new_labelled, rebuilt, wanted;
    for (const Pair& pair : pairs) {
      if (pair.rebuilt->old.kind != kind) continue;
      labelled.add(part(old_image, pair.rebuilt->old), 0);
      new_labelled.add(part(new_image, pair.target), 0);
      rebuilt.add(pair.rebuilt->bytes, 0);
      wanted.add(part(target_.file(), pair.target), 0);
    }
    const auto misses = [&](const TableRow& source, const TableRow& target) {
      return changed_bytes(source.bytes(), target.bytes(), match(source.bytes(), target.bytes()), {0, target.bytes().size()});
    };
    if (wanted.bytes().empty()) continue;
    Bytes breaks;
    if (kind == exe::SortedTableKind::kMixedUnwindPages) exe::append_page_breaks(breaks, target_breaks_);
    if (misses(rebuilt, wanted) + breaks.size() < misses(labelled, new_labelled)) kinds |= exe::set_of(kind);
  }
  return kinds;
}

// Covers without what they have of the tables, and the best of the rebuilt ones in its place.
Covers TablePass::with_tables(const Covers& covers, const std::vector<exe::RebuiltTable>& rebuilt,
                              const ParseParams& parse) const {
  TableRow source, target;
  ByteRanges tables;
  for (const Pair& pair : pairs_of(rebuilt)) {
    source.add(pair.rebuilt->bytes, pair.rebuilt->old.pos);
    target.add(part(target_.file(), pair.target), pair.target.pos);
    tables.push_back(range_of(pair.target));
  }
  if (tables.empty()) return covers;
  const Covers first = match(source.bytes(), target.bytes());
  const Covers best = std::move(parse_covers(source.bytes(), target.bytes(), first, parse, {}, pool_).front());
  Covers inside;
  for (Cover rest : best) {
    while (rest.length != 0) {
      const TableRow::Place from = source.at(rest.source_pos);
      const TableRow::Place to = target.at(rest.target_pos);
      const std::uint64_t length = std::min({rest.length, from.rest_bytes, to.rest_bytes});
      inside.push_back({from.pos, to.pos, length});
      rest = {rest.source_pos + length, rest.target_pos + length, rest.length - length};
    }
  }
  return replaced(covers, tables, inside);
}

Covers TablePass::set_apart(const Covers& first, const exe::OwnerMap& map, std::vector<exe::Label> labels,
                            MutableByteSpan old_image, MutableByteSpan new_image) {
  if (kinds_ == 0) return first;
  add_base_labels(map, labels);
  std::vector<exe::RebuiltTable> rebuilt = rebuild(map, labels, kinds_);
  if (!std::exchange(has_chosen_, true)) {
    kinds_ = kinds_that_gain(pairs_of(rebuilt), old_image, new_image);
    std::erase_if(rebuilt, [&](const exe::RebuiltTable& table) { return !exe::has_tables(kinds_, table.old.kind); });
  }
  const std::vector<Pair> pairs = pairs_of(rebuilt);
  const exe::LabelIndex index(labels);
  const exe::Predictor predictor(source_.images(), target_.images(), map, &index);
  std::vector<exe::SortedTable> old_tables, new_tables;
  for (const exe::RebuiltTable& table : rebuilt) old_tables.push_back(table.old);
  ByteRanges tables;
  Covers inside;
  for (const Pair& pair : pairs) {
    const exe::SortedTable& old = pair.rebuilt->old;
    new_tables.push_back(pair.target);
    if (old.kind == exe::SortedTableKind::kFunctions) {
      mark_unwind_of_old(source_, old, predictor, pair.target.image, old_image);
      mark_unwind_of_new(target_, pair.target, new_image);
    }
    put_noise(part(old_image, old), pair.target.pos);
    put_noise(part(new_image, pair.target), pair.target.pos);
    tables.push_back(range_of(pair.target));
    inside.push_back({old.pos, pair.target.pos, std::min(old.size_bytes, pair.target.size_bytes)});
  }
  source_.leave_out(std::move(old_tables));
  target_.leave_out(std::move(new_tables));
  return replaced(first, tables, inside);
}

Covers TablePass::settled(Covers covers, const ParseParams& parse, std::vector<exe::Label>& labels) const {
  if (kinds_ == 0) return covers;
  add_base_labels(exe::OwnerMap(covers, pool_.watch()), labels);
  std::vector<exe::RebuiltTable> rebuilt = rebuild(exe::OwnerMap(covers, pool_.watch()), labels, kinds_);
  const auto same = [](const exe::RebuiltTable& a, const exe::RebuiltTable& b) { return a.bytes == b.bytes; };
  for (int round = 0; round < kMostTableRounds; ++round) {
    covers = with_tables(covers, rebuilt, parse);
    std::vector<exe::RebuiltTable> again = rebuild(exe::OwnerMap(covers, pool_.watch()), labels, kinds_);
    if (std::equal(again.begin(), again.end(), rebuilt.begin(), rebuilt.end(), same)) break;
    rebuilt.swap(again);
  }
  return covers;
}

}  // namespace bdelta
