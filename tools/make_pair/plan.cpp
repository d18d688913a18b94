#include "plan.hpp"

#include <algorithm>

#include "edits.hpp"
#include "rng.hpp"

namespace make_pair {
namespace {

// Share of each kind in OLD, and how often (of 1000) its units are edited, replaced, deleted or joined by a new one.
struct Habits {
  std::uint32_t share;
  std::uint32_t smallest, largest;  // unit size in bytes
  std::uint32_t edited, replaced, deleted, added;
};
constexpr Habits kHabits[] = {
    {41, 40, 2047, 170, 7, 4, 4},        // code
    {24, 400, 12000, 350, 7, 4, 4},      // text
    {11, 200, 8000, 240, 6, 4, 4},        // tables
    {8, 16, 30000, 20, 0, 5, 5},          // padding
    {16, 3000, 200000, 30, 15, 3, 3},     // images
};
const Habits& habits(Kind kind) noexcept { return kHabits[static_cast<std::size_t>(kind)]; }

constexpr std::uint64_t kSmallFile = 1U << 16;  // below it nothing is deleted, lest little remain

// The kind that lags most behind its share, seen through some noise.
Kind next_kind(Rng& rng, const std::uint64_t (&laid)[5]) {
  std::size_t best = 0;
  std::uint64_t best_score = ~std::uint64_t{0};
  for (std::size_t i = 0; i < 5; ++i) {
    const std::uint64_t score = (laid[i] + 1) * rng.between(50, 150) / kHabits[i].share;
    if (score < best_score) best = i, best_score = score;
  }
  return static_cast<Kind>(best);
}

Fate draw_fate(Rng& rng, Kind kind, bool may_delete) {
  const Habits& h = habits(kind);
  const std::uint32_t draw = rng.below(1000);
  if (draw < h.edited) return Fate::kEdited;
  if (draw < h.edited + h.replaced) return Fate::kReplaced;
  if (may_delete && draw < h.edited + h.replaced + h.deleted) return Fate::kDeleted;
  return Fate::kKept;
}

// OLD: regions of one kind each, filled with units until `size` is reached to the byte.
void lay_out_old(Plan& plan, Rng& rng) {
  const auto low = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(plan.old_size / 256, 64, 16384));
  const auto high = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(plan.old_size / 16, 64, 2097152));
  std::uint64_t laid[5] = {};
  std::uint64_t at = 0;
  while (at < plan.old_size) {
    const Kind kind = next_kind(rng, laid);
    const std::uint64_t start = at;
    const std::uint64_t end = std::min(plan.old_size, at + rng.log_between(low, high));
    while (at < end) {
      Unit unit;
      unit.kind = kind;
      unit.seed = rng.next();
      unit.old_address = aligned(at, kind);
      if (unit.old_address >= plan.old_size) unit.old_address = at;
      const std::uint64_t room = plan.old_size - unit.old_address;
      const std::uint32_t largest = std::min(habits(kind).largest, std::max(habits(kind).smallest, high));
      const std::uint64_t wanted = rng.log_between(habits(kind).smallest, largest);
      unit.size = static_cast<std::uint32_t>(std::min(room, wanted));
      unit.fate = draw_fate(rng, kind, plan.old_size > kSmallFile);
      at = unit.old_address + unit.size;
      plan.units.push_back(unit);
    }
    laid[static_cast<std::size_t>(kind)] += at - start;
  }
  plan.old_units = static_cast<std::uint32_t>(plan.units.size());
}

void list_targets(Plan& plan) {
  for (std::uint32_t i = 0; i < plan.old_units; ++i) {
    const Kind kind = plan.units[i].kind;
    if (kind == Kind::kCode) plan.functions.push_back(i);
    if (kind == Kind::kText || kind == Kind::kTable) plan.data.push_back(i);
  }
}

// Whoever is popular must not be so by lying in front.
void shuffle(std::vector<std::uint32_t>& list, Rng& rng) {
  for (std::size_t i = list.size(); i > 1; --i) {
    std::swap(list[i - 1], list[rng.below(static_cast<std::uint32_t>(i))]);
  }
}

void add_units(Plan& plan, Rng& rng) {
  plan.new_order.reserve(plan.old_units + plan.old_units / 64);
  for (std::uint32_t i = 0; i < plan.old_units; ++i) {
    plan.new_order.push_back(i);
    const Unit before = plan.units[i];
    if (plan.old_size <= kSmallFile || !rng.chance(habits(before.kind).added, 1000)) continue;
    Unit unit;
    unit.kind = before.kind;
    unit.fate = Fate::kAdded;
    unit.seed = rng.next();
    unit.size = rng.log_between(habits(unit.kind).smallest, habits(unit.kind).largest);
    plan.new_order.push_back(static_cast<std::uint32_t>(plan.units.size()));
    plan.units.push_back(unit);
  }
}

// Blocks of neighbouring units change places: mostly over a short way, now and then through the whole file.
void move_blocks(Plan& plan, Rng& rng) {
  auto& order = plan.new_order;
  const auto count = static_cast<std::uint32_t>(order.size());
  if (count < 8) return;
  const auto at = [&](std::uint32_t index) { return order.begin() + static_cast<std::ptrdiff_t>(index); };
  const std::uint32_t moves = count / 700 + 1;
  for (std::uint32_t i = 0; i < moves; ++i) {
    const std::uint32_t block = rng.log_between(1, std::min(64U, count / 4));
    const std::uint32_t reach = rng.chance(1, 12) ? count - block : std::min(400U, count - block);
    const std::uint32_t first = rng.below(count - block);
    const std::uint32_t way = rng.between(1, reach);
    const std::uint32_t last = std::min(count, first + block + way);
    std::rotate(at(first), at(first + block), at(last));
    ++plan.moved_blocks;
  }
}

void lay_out_new(Plan& plan) {
  std::vector<Edit> edits;
  std::uint64_t at = 0;
  for (const std::uint32_t index : plan.new_order) {
    Unit& unit = plan.units[index];
    unit.new_address = aligned(at, unit.kind);
    if (unit.fate == Fate::kDeleted) continue;
    plan_edits(unit, edits);
    unit.new_size = size_after(unit, edits);
    at = unit.new_address + unit.new_size;
  }
  plan.new_size = at;
}

}  // namespace

std::uint32_t stride_of(const Unit& unit) noexcept {
  constexpr std::uint32_t kStrides[] = {16, 24, 32, 40, 48, 64, 72, 96};
  return unit.kind == Kind::kTable ? kStrides[unit.seed & 7] : 1;
}

Plan make_plan(std::uint64_t size, std::uint64_t seed) {
  Plan plan;
  plan.seed = seed;
  plan.old_size = size;
  Rng rng(derive(seed, 1));
  lay_out_old(plan, rng);
  list_targets(plan);
  shuffle(plan.functions, rng);
  shuffle(plan.data, rng);
  add_units(plan, rng);
  move_blocks(plan, rng);
  if (!plan.units.empty()) plan.units.front().fate = Fate::kEdited;  // NEW differs even in the smallest pair
  lay_out_new(plan);
  return plan;
}

}  // namespace make_pair
