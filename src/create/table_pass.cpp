#include "create/table_pass.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "create/level.hpp"
#include "match/matcher.hpp"

namespace bdelta {
namespace {

constexpr int kTableLevel = 3;  // of the matcher
// Covers of a table say what follows from what other covers say, but for owners of bytes right behind a table of OLD.
constexpr int kMostRounds = 2;

ByteSpan part(ByteSpan bytes, std::uint64_t pos, std::uint64_t size_bytes) {
  return bytes.subspan(static_cast<std::size_t>(pos), static_cast<std::size_t>(size_bytes));
}

ByteSpan part(ByteSpan bytes, const exe::SortedTable& table) { return part(bytes, table.pos, table.size_bytes); }

// Bytes of the target that the covers don't tell.
std::uint64_t misses_of(const Covers& covers, ByteSpan source, ByteSpan target) {
  std::uint64_t misses = target.size();
  for (const Cover& cover : covers) {
    misses -= cover.length - count_differing(part(source, cover.source_pos, cover.length),
                                             part(target, cover.target_pos, cover.length));
  }
  return misses;
}

// Covers without what they have of the table, where `inside` are put, which ascend.
Covers replaced(const Covers& covers, const exe::SortedTable& table, const Covers& inside) {
  const std::uint64_t end = table.pos + table.size_bytes;
  Covers all;
  all.reserve(covers.size() + inside.size() + 1);
  for (const Cover& cover : covers) {
    if (cover.target_pos >= table.pos) break;
    all.push_back({cover.source_pos, cover.target_pos, std::min(cover.target_end(), table.pos) - cover.target_pos});
  }
  all.insert(all.end(), inside.begin(), inside.end());
  for (const Cover& cover : covers) {
    if (cover.target_end() <= end) continue;
    const std::uint64_t skipped = std::max(cover.target_pos, end) - cover.target_pos;
    all.push_back({cover.source_pos + skipped, cover.target_pos + skipped, cover.length - skipped});
  }
  return all;
}

bool has_head_at(const exe::Images& images, const exe::SortedTable& table, std::uint64_t& address) {
  return images.layouts[table.image].address_of(table.pos - exe::kUnwindIndexHeadBytes, address);
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

// Where in the file unwind information begins, and where in NEW the first function begins that it belongs to.
struct Unwound {
  std::uint64_t pos = 0;
  std::uint64_t start = 0;
};

// Of a table of functions of PE. lead(address, start) says where in NEW what begins at an address does; false: nowhere.
template <class Lead>
std::vector<Unwound> unwound_by(ByteSpan file, const exe::Images& images, const exe::SortedTable& table, Lead&& lead) {
  const exe::Image& image = images.all[table.image];
  const std::size_t entry_bytes = exe::entry_bytes(table.kind, image.machine);
  std::vector<Unwound> all;
  for (std::uint64_t at = table.pos; at < table.pos + table.size_bytes; at += entry_bytes) {
    const std::uint64_t start = image.base_address + load_le<std::uint32_t>(file.data() + at);
    const std::uint64_t unwind = image.base_address + load_le<std::uint32_t>(file.data() + at + entry_bytes - 4);
    Unwound one;
    if (unwind % 4 != 0 || !images.layouts[table.image].file_pos_of(unwind, one.pos)) continue;
    if (lead(start, one.start)) all.push_back(one);
  }
  std::sort(all.begin(), all.end(), [](const Unwound& a, const Unwound& b) {
    return std::tie(a.pos, a.start) < std::tie(b.pos, b.start);
  });
  const auto same_pos = [](const Unwound& a, const Unwound& b) { return a.pos == b.pos; };
  all.erase(std::unique(all.begin(), all.end(), same_pos), all.end());
  return all;
}

// Changes the head of unwind information to a number of itself and of the function.
void tell_apart(const std::vector<Unwound>& all, ByteSpan file, MutableByteSpan image) {
  for (const Unwound& one : all) {
    if (image.size() - one.pos < 4) continue;
    const std::uint64_t head = load_le<std::uint32_t>(file.data() + one.pos);
    const std::uint64_t number = (one.start ^ head << 32) * 0x9E3779B97F4A7C15u;
    store_le(image.data() + one.pos, static_cast<std::uint32_t>(number >> 32));
  }
}

}  // namespace

// Many functions have the same unwind information, each its own copy of it, and the table tells which is whose.
void TablePass::tell_unwind_apart(const std::vector<Pair>& pairs, const exe::PlaceMap& map,
                                  const std::vector<exe::Label>& labels, MutableByteSpan old_image,
                                  MutableByteSpan new_image) const {
  const exe::LabelIndex index(labels);
  const exe::Predictor predictor(source_.images(), target_.images(), map, &index);
  for (const Pair& pair : pairs) {
    const exe::SortedTable& old = pair.rebuilt->old;
    if (old.kind != exe::SortedTableKind::kFunctions) continue;
    tell_apart(unwound_by(source_.file(), source_.images(), old,
                          [&](std::uint64_t address, std::uint64_t& start) {
                            return predictor.lead(old.image, address, pair.target.image, start);
                          }),
               source_.file(), old_image);
    tell_apart(unwound_by(target_.file(), target_.images(), pair.target,
                          [&](std::uint64_t address, std::uint64_t& start) {
                            start = address;
                            return true;
                          }),
               target_.file(), new_image);
  }
}

std::vector<exe::RebuiltTable> TablePass::rebuild(const exe::PlaceMap& map, std::span<const exe::Label> labels) const {
  const exe::LabelIndex index(labels);
  return exe::rebuild_tables({source_.file(), source_.images(), target_.images(), map, index}, source_tables_, kinds_);
}

// Of each table of the target the first one of the source that became it.
std::vector<TablePass::Pair> TablePass::pairs_of(const std::vector<exe::RebuiltTable>& rebuilt) const {
  std::vector<Pair> pairs;
  for (const exe::SortedTable& table : target_tables_) {
    const auto is_its_own = [&](const exe::RebuiltTable& r) {
      return r.old.kind == table.kind && r.target_image == table.image;
    };
    const auto found = std::find_if(rebuilt.begin(), rebuilt.end(), is_its_own);
    if (found != rebuilt.end()) pairs.push_back({&*found, table});
  }
  return pairs;
}

// The head of an unwind index is a few bytes that differ, so covers may well have it wrong, and all pairs count from it.
void TablePass::add_base_labels(const exe::PlaceMap& map, std::vector<exe::Label>& labels) const {
  const std::vector<exe::RebuiltTable> rebuilt = rebuild(map, labels);
  for (const Pair& pair : pairs_of(rebuilt)) {
    const exe::SortedTable& old = pair.rebuilt->old;
    exe::Label label{0, 0, old.image};
    if (old.kind != exe::SortedTableKind::kUnwindIndex || !has_head_at(source_.images(), old, label.address) ||
        !has_head_at(target_.images(), pair.target, label.new_address)) {
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
  std::array<std::uint64_t, exe::kSortedTableKindCount> by_fields{}, rebuilt{};
  const auto misses = [&](ByteSpan source, ByteSpan target) { return misses_of(match(source, target), source, target); };
  for (const Pair& pair : pairs) {
    const auto kind = static_cast<std::size_t>(pair.target.kind);
    by_fields[kind] += misses(part(old_image, pair.rebuilt->old), part(new_image, pair.target));
    rebuilt[kind] += misses(pair.rebuilt->bytes, part(target_.file(), pair.target));
  }
  exe::KindSet kinds = 0;
  for (std::size_t i = 0; i < rebuilt.size(); ++i) {
    if (rebuilt[i] < by_fields[i]) kinds |= exe::set_of(static_cast<exe::SortedTableKind>(i));
  }
  return kinds;
}

// Covers without what they have of the tables, and what matches the rebuilt ones in its place: chosen by `parse`, if
// there is one.
Covers TablePass::with_tables(Covers covers, const std::vector<exe::RebuiltTable>& rebuilt,
                              const ParseParams* parse) const {
  for (const Pair& pair : pairs_of(rebuilt)) {
    const ByteSpan source = pair.rebuilt->bytes;
    const ByteSpan target = part(target_.file(), pair.target);
    Covers inside = match(source, target);
    if (parse != nullptr) inside = std::move(parse_covers(source, target, inside, *parse, {}, pool_).front());
    for (Cover& cover : inside) {
      cover.source_pos += pair.rebuilt->old.pos;
      cover.target_pos += pair.target.pos;
    }
    covers = replaced(covers, pair.target, inside);
  }
  return covers;
}

Covers TablePass::seeds_with_tables(const Covers& first, const exe::PlaceMap& map, std::vector<exe::Label> labels,
                                    MutableByteSpan old_image, MutableByteSpan new_image) {
  if (source_tables_.empty() || target_tables_.empty()) return first;
  add_base_labels(map, labels);
  std::vector<exe::RebuiltTable> rebuilt = rebuild(map, labels);
  if (!std::exchange(has_chosen_, true)) {
    kinds_ = kinds_that_gain(pairs_of(rebuilt), old_image, new_image);
    std::erase_if(rebuilt, [&](const exe::RebuiltTable& table) { return !exe::has_tables(kinds_, table.old.kind); });
  }
  tell_unwind_apart(pairs_of(rebuilt), map, labels, old_image, new_image);
  std::vector<exe::SortedTable> old_tables, new_tables;
  for (const exe::RebuiltTable& table : rebuilt) old_tables.push_back(table.old);
  for (const Pair& pair : pairs_of(rebuilt)) {
    new_tables.push_back(pair.target);
    const ByteSpan bytes = part(target_.file(), pair.target);
    std::copy(bytes.begin(), bytes.end(), new_image.begin() + static_cast<std::ptrdiff_t>(pair.target.pos));
  }
  exe::put_tables(rebuilt, 0, old_image);
  source_.leave_out(std::move(old_tables));
  target_.leave_out(std::move(new_tables));
  return with_tables(first, rebuilt, nullptr);
}

Covers TablePass::settled(Covers covers, const ParseParams& parse, std::vector<exe::Label>& labels) const {
  if (kinds_ == 0) return covers;
  add_base_labels(exe::PlaceMap(covers), labels);
  std::vector<exe::RebuiltTable> rebuilt = rebuild(exe::PlaceMap(covers), labels);
  const auto same = [](const exe::RebuiltTable& a, const exe::RebuiltTable& b) { return a.bytes == b.bytes; };
  for (int round = 0; round < kMostRounds; ++round) {
    covers = with_tables(std::move(covers), rebuilt, &parse);
    std::vector<exe::RebuiltTable> again = rebuild(exe::PlaceMap(covers), labels);
    if (std::equal(again.begin(), again.end(), rebuilt.begin(), rebuilt.end(), same)) break;
    rebuilt.swap(again);
  }
  return covers;
}

}  // namespace bdelta
