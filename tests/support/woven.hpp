// A new version that is woven from several stretches of the old one, as if these were versions of the same.
#pragma once

#include <algorithm>

#include "delta/cover.hpp"
#include "support/generate.hpp"

namespace bdelta::test {

struct WovenPair {
  Bytes old_version;
  Bytes new_version;
  Covers covers;
};

// Copies of 20 to 60 bytes from any of three stretches, each from as far behind its start as NEW is long by then and some
// bytes more than the time before; new bytes between them.
[[nodiscard]] inline WovenPair woven_pair(std::size_t copy_count, std::uint64_t seed) {
  constexpr std::uint64_t kMostBytes = 60;
  constexpr std::uint64_t kMostNewBytes = 3;
  constexpr std::uint64_t kMostSkipped = 3;
  Random random(seed);
  const std::size_t stretch_bytes = copy_count * (kMostBytes + kMostNewBytes + kMostSkipped);
  const std::size_t distance = std::max<std::size_t>(stretch_bytes, 70'000);  // tracks are no nearer to each other
  WovenPair pair;
  std::uint64_t diagonals[3];
  for (std::uint64_t& diagonal : diagonals) {
    diagonal = pair.old_version.size();
    append(pair.old_version, random_bytes(stretch_bytes, seed + diagonal));
    pair.old_version.resize(static_cast<std::size_t>(diagonal) + distance);
  }
  for (std::size_t i = 0; i < copy_count; ++i) {
    std::uint64_t& diagonal = diagonals[random.below(3)];
    diagonal += random.below(kMostSkipped + 1);
    const std::uint64_t pos = diagonal + pair.new_version.size();
    const std::uint64_t length = random.between(20, kMostBytes);
    pair.covers.push_back({pos, pair.new_version.size(), length});
    append(pair.new_version, ByteSpan(pair.old_version).subspan(static_cast<std::size_t>(pos), static_cast<std::size_t>(length)));
    append(pair.new_version, random_bytes(static_cast<std::size_t>(random.between(1, kMostNewBytes)), seed + i));
  }
  return pair;
}

}  // namespace bdelta::test
