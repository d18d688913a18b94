// Slots for bits that are nearly certain: more of a probability and longer memory than those of mixing.hpp.
#pragma once

#include <array>
#include <cstdint>

namespace bdelta::mix {

// 22 bits of probability, 10 bits of how many bits were seen.
using WideSlot = std::uint32_t;
inline constexpr WideSlot kFreshWideSlot = WideSlot{1} << 31;

struct WideRates {
  std::array<std::uint16_t, 256> of{};
};
constexpr WideRates make_wide_rates() {
  WideRates rates;
  for (std::uint32_t n = 0; n < 256; ++n) rates.of[n] = static_cast<std::uint16_t>(2 * 65536 / (2 * n + 3));
  return rates;
}
inline constexpr WideRates kWideRates = make_wide_rates();

// `limit` is at most 255: more makes steadier slots.
inline void learn_wide(WideSlot& slot, unsigned bit, unsigned limit) {
  const unsigned seen = slot & 1023;
  const std::int64_t p = slot >> 10;
  const std::int64_t goal = bit != 0 ? (1 << 22) - 1 : 0;
  const auto moved = static_cast<std::uint32_t>(p + ((goal - p) * kWideRates.of[seen] >> 16));
  slot = moved << 10 | (seen < limit ? seen + 1 : seen);
}

}  // namespace bdelta::mix
