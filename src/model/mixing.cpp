#include "model/mixing.hpp"

#include "model/small_lines.hpp"

namespace bdelta::mix {
namespace {

// A probability p falls by p * rate_of(seen) + rounding, in 65536ths.
template <unsigned kLimit, class RateOf>
void fill(NextSlots<kLimit>& table, RateOf rate_of, std::uint32_t rounding) {
  for (std::uint32_t seen = 0; seen <= kLimit; ++seen) {
    const std::uint32_t rate = rate_of(seen);
    const std::uint32_t count = (seen < kLimit ? seen + 1 : seen) << kCountShift;
    Slot* const row = table.data() + (seen << kCountShift);
    for (std::uint32_t p = 0; p <= kProbabilityMask; ++p) {
      row[p] = static_cast<Slot>(count | (p - ((p * rate + rounding) >> 16)));
    }
  }
}

bool fill_all() {
  fill<kSeenLimit>(next_slots, [](std::uint32_t seen) { return 2 * 65536 / kPaces[seen]; }, 32768);
  fill<kSmallSeenLimit>(next_small_slots, [](std::uint32_t seen) { return 2 * 65536 / (2 * seen + 3); }, 65535);
  return true;
}

}  // namespace

constinit const Tables kTables = {make_stretch(), make_squash()};
constinit NextSlots<kSeenLimit> next_slots{};
constinit NextSlots<kSmallSeenLimit> next_small_slots{};

void fill_next_slots() {
  static const bool filled = fill_all();
  static_cast<void>(filled);
}

}  // namespace bdelta::mix
