// Few patterns as a scan by shuffles looks for them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace bdelta {

// Which groups of patterns have a byte with that half at one of their four places.
struct PatternHalves {
  static constexpr std::size_t kPlaces = 4;
  using Groups = std::array<std::uint8_t, 16>;  // a bit for each of eight groups, by the value of the half

  std::array<Groups, kPlaces> low{};
  std::array<Groups, kPlaces> high{};
};

// Of patterns as numbers whose lowest byte is the first one in the file. Takes longer than in proportion to the
// patterns, but for 192 of them less than a millisecond.
[[nodiscard]] PatternHalves make_halves(const std::vector<std::uint32_t>& patterns);

}  // namespace bdelta
