// Waist 1: what every matcher produces and nothing else leaves the matchers.
#pragma once

#include <cstdint>
#include <vector>

namespace bdelta {

// target[target_pos, + length) resembles source[source_pos, + length); single bytes may differ inside.
// A list of covers is ascending and free of overlap in the target; in the source anything goes.
struct Cover {
  std::uint64_t source_pos = 0;
  std::uint64_t target_pos = 0;
  std::uint64_t length = 0;

  [[nodiscard]] std::uint64_t target_end() const noexcept { return target_pos + length; }
  [[nodiscard]] std::uint64_t source_end() const noexcept { return source_pos + length; }
  // The same for all places that lie at the same distance in both files.
  [[nodiscard]] std::int64_t diagonal() const noexcept {
    return static_cast<std::int64_t>(source_pos) - static_cast<std::int64_t>(target_pos);
  }
  bool operator==(const Cover&) const = default;
};

using Covers = std::vector<Cover>;

// Ascending, no overlap, no empty cover, all inside both files.
[[nodiscard]] bool covers_are_valid(const Covers& covers, std::uint64_t source_size, std::uint64_t target_size);

// Of the target, that valid covers copy.
[[nodiscard]] std::uint64_t covered_bytes(const Covers& covers) noexcept;

// Where there are more than max_count, keeps those that are longer than the max_count-th longest.
void keep_longest(Covers& covers, std::size_t max_count);

}  // namespace bdelta
