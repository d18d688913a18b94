// Slots like those of mixing.hpp, in lines that know their context: for tables under pressure.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/prefetch.hpp"
#include "model/mixing.hpp"

namespace bdelta::mix {

// As Slot, but quicker to forget.
using SmallSlot = Slot;
inline constexpr unsigned kSmallSeenLimit = 9;  // more: slower, steadier slots
extern NextSlots<kSmallSeenLimit> next_small_slots;  // filled with those of Slot

inline void learn_small(SmallSlot& slot, unsigned bit) { learn_from<kSmallSeenLimit>(next_small_slots, slot, bit); }

struct alignas(32) SmallLine {
  std::uint16_t check = 0;
  std::array<SmallSlot, 15> slots;
  constexpr SmallLine() { slots.fill(kFreshSlot); }
};

class SmallLineTable {
 public:
  explicit SmallLineTable(unsigned log) : lines_(std::size_t{1} << log), shift_(32 - log) { fill_next_slots(); }

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
    SmallLine& line = count_of(first.slots[0]) <= count_of(second.slots[0]) ? first : second;
    line.check = check;
    line.slots.fill(kFreshSlot);
    return line.slots.data();
  }

 private:
  [[nodiscard]] std::size_t place_of(std::uint32_t hash) const { return hash * 0x2c1b3c6du >> shift_; }

  std::vector<SmallLine> lines_;
  const unsigned shift_;
};
}  // namespace bdelta::mix
