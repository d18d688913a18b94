#include "edits.hpp"

#include <algorithm>

#include "rng.hpp"

namespace make_pair {
namespace {

// Mean distance of two edits in bytes, inside a unit that is edited at all.
std::uint32_t mean_gap(Kind kind) noexcept {
  switch (kind) {
    case Kind::kCode: return 29;
    case Kind::kText: return 51;
    case Kind::kTable: return 48;
    case Kind::kPadding: return 4000;
    case Kind::kImage: return 5000;
  }
  return 1000;
}

EditKind draw_kind(Rng& rng, Kind kind) {
  const std::uint32_t resized = kind == Kind::kText ? 55 : kind == Kind::kCode ? 28 : kind == Kind::kTable ? 18 : 10;
  if (!rng.chance(resized, 100)) return EditKind::kOverwrite;
  return rng.chance(55, 100) ? EditKind::kInsert : EditKind::kDelete;
}

std::uint32_t draw_length(Rng& rng, EditKind edit, Kind kind) {
  if (edit == EditKind::kOverwrite) return rng.log_between(1, 8);
  return rng.log_between(1, kind == Kind::kText ? 40 : 16);
}

std::uint8_t new_byte(Rng& rng, Kind kind) noexcept {
  const std::uint64_t draw = rng.next() >> 32;
  switch (kind) {
    case Kind::kText: return static_cast<std::uint8_t>("etaoinshrdlucmfw etaoinshr 012345"[draw % 33]);
    case Kind::kCode: return static_cast<std::uint8_t>((draw & 3) == 0 ? draw >> 8 : (draw >> 8) & 0x4f);
    case Kind::kTable: return static_cast<std::uint8_t>((draw & 1) == 0 ? draw >> 8 : 0);
    default: return static_cast<std::uint8_t>(draw);
  }
}

}  // namespace

void plan_edits(const Unit& unit, std::vector<Edit>& edits) {
  edits.clear();
  if (unit.fate != Fate::kEdited || unit.size == 0) return;
  Rng rng(derive(unit.seed, 2));
  const std::uint32_t stride = stride_of(unit);
  const std::uint32_t gap = mean_gap(unit.kind);
  std::uint32_t at = rng.below(std::min(unit.size, 2 * gap));
  while (at < unit.size) {
    Edit edit{at, 0, draw_kind(rng, unit.kind)};
    edit.length = draw_length(rng, edit.kind, unit.kind);
    if (edit.kind != EditKind::kOverwrite && stride > 1) {  // tables gain and lose whole records
      edit.at = at / stride * stride;
      edit.length = stride;
      if (!edits.empty() && edit.at < edits.back().at + edits.back().length) edit = {at, 1, EditKind::kOverwrite};
    }
    if (edit.kind == EditKind::kDelete && edit.length >= unit.size) edit.kind = EditKind::kOverwrite;
    if (edit.kind != EditKind::kInsert) edit.length = std::min(edit.length, unit.size - edit.at);
    edits.push_back(edit);
    at = edit.at + edit.length + 1 + rng.below(2 * gap);
  }
}

std::uint32_t size_after(const Unit& unit, const std::vector<Edit>& edits) noexcept {
  std::uint32_t size = unit.size;
  for (const Edit& edit : edits) {
    if (edit.kind == EditKind::kInsert) size += edit.length;
    if (edit.kind == EditKind::kDelete) size -= edit.length;
  }
  return size;
}

std::int64_t ShiftCursor::shift_at(std::uint32_t position) noexcept {
  for (; next_ < edits_.size() && edits_[next_].at <= position; ++next_) {
    if (edits_[next_].kind == EditKind::kInsert) shift_ += edits_[next_].length;
    if (edits_[next_].kind == EditKind::kDelete) shift_ -= edits_[next_].length;
  }
  return shift_;
}

void apply_edits(const Unit& unit, const std::vector<std::uint8_t>& before, const std::vector<Edit>& edits,
                 std::vector<std::uint8_t>& after) {
  Rng rng(derive(unit.seed, 3));
  std::size_t done = 0;
  const auto copy_until = [&](std::size_t end) {
    after.insert(after.end(), before.begin() + static_cast<std::ptrdiff_t>(done),
                 before.begin() + static_cast<std::ptrdiff_t>(end));
    done = end;
  };
  for (const Edit& edit : edits) {
    copy_until(edit.at);
    for (std::uint32_t i = 0; i < edit.length && edit.kind != EditKind::kDelete; ++i) {
      std::uint8_t byte = new_byte(rng, unit.kind);
      if (edit.kind == EditKind::kOverwrite && i == 0 && byte == before[edit.at]) byte ^= 1;
      after.push_back(byte);
    }
    if (edit.kind != EditKind::kInsert) done += edit.length;
  }
  copy_until(before.size());
}

}  // namespace make_pair
