// Slots of half the size of those of mixing.hpp, in lines that know their context: for tables under pressure.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/prefetch.hpp"

namespace bdelta::mix {

// 12 bits of probability, 4 bits of how many bits were seen.
using SmallSlot = std::uint16_t;
inline constexpr SmallSlot kFreshSmallSlot = 0x8000;
inline constexpr std::int32_t kSmallSeenLimit = 9;  // more: slower, steadier slots

constexpr std::array<std::int32_t, 16> make_small_rates() {
  std::array<std::int32_t, 16> table{};
  for (std::int32_t n = 0; n < 16; ++n) table[static_cast<std::size_t>(n)] = 2 * 65536 / (2 * n + 3);
  return table;
}
inline constexpr std::array<std::int32_t, 16> kSmallRates = make_small_rates();

inline void learn_small(SmallSlot& slot, unsigned bit) {
  const std::int32_t seen = slot & 15;
  const std::int32_t p = slot >> 4;
  const std::int32_t goal = bit != 0 ? 4095 : 0;
  const std::int32_t moved = p + (((goal - p) * kSmallRates[static_cast<std::size_t>(seen)] + goal * 16) >> 16);
  slot = static_cast<SmallSlot>(moved << 4 | (seen < kSmallSeenLimit ? seen + 1 : seen));
}

struct alignas(32) SmallLine {
  std::uint16_t check = 0;
  std::array<SmallSlot, 15> slots;
  constexpr SmallLine() { slots.fill(kFreshSmallSlot); }
};

class SmallLineTable {
 public:
  explicit SmallLineTable(unsigned log) : lines_(std::size_t{1} << log), shift_(32 - log) {}

  // The slots of a context will be asked for.
  void expect(std::uint32_t hash) const { prefetch_line(&lines_[place_of(hash)]); }

  // The slots of a context; fresh ones if it is new.
  SmallSlot* find(std::uint32_t hash) {
    const std::size_t at = place_of(hash);
    const auto check = static_cast<std::uint16_t>(hash | 1);
    SmallLine& first = lines_[at];
    if (first.check == check) return first.slots.data();
    SmallLine& second = lines_[at ^ 1];
    if (second.check == check) return second.slots.data();
    SmallLine& line = (first.slots[0] & 15) <= (second.slots[0] & 15) ? first : second;
    line.check = check;
    line.slots.fill(kFreshSmallSlot);
    return line.slots.data();
  }

 private:
  [[nodiscard]] std::size_t place_of(std::uint32_t hash) const { return hash * 0x2c1b3c6du >> shift_; }

  std::vector<SmallLine> lines_;
  const unsigned shift_;
};
}  // namespace bdelta::mix
