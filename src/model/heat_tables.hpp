// The heats of miss_heat.hpp as they lie in memory, and the scan for bytes without a warm one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace bdelta::mix {

inline constexpr std::uint32_t kHeatFactor = 0x9e3779b1u;
inline constexpr int kWarmHeat = 60;  // more: fewer bytes are asked about, and more change unasked

// Of three or four bytes, the first highest.
inline std::uint32_t heat_index(std::uint32_t bytes) noexcept { return bytes * kHeatFactor >> 16; }

// The entries of `before` and `triple` stand side by side. Of the same three bytes, what is the one for the last is the
// other for the one in the middle. So who goes along a copy needs both at once.
class HeatTables {
 public:
  [[nodiscard]] std::uint8_t* pair(std::uint32_t index) noexcept { return &heats_[index]; }
  [[nodiscard]] std::uint8_t* before(std::uint32_t index) noexcept { return &heats_[kThrees + 2 * std::size_t{index}]; }
  [[nodiscard]] std::uint8_t* triple(std::uint32_t index) noexcept { return before(index) + 1; }
  [[nodiscard]] std::uint8_t* next(std::uint32_t index) noexcept { return &heats_[kNexts + index]; }

  // For scans, which load four bytes at each index.
  [[nodiscard]] const std::uint8_t* pairs() const noexcept { return heats_.data(); }
  [[nodiscard]] const std::uint8_t* threes() const noexcept { return heats_.data() + kThrees; }
  [[nodiscard]] const std::uint8_t* nexts() const noexcept { return heats_.data() + kNexts; }

 private:
  static constexpr std::size_t kEntries = 65536;
  static constexpr std::size_t kThrees = kEntries;
  static constexpr std::size_t kNexts = 3 * kEntries;

  std::array<std::uint8_t, 4 * kEntries + 3> heats_{};
};

// How many of `count` bytes have no warm entry, in steps of eight: behind them one of the next nine has one, or fewer than
// eight are left.
using ColdScan = std::size_t (*)(const HeatTables& tables, const std::uint8_t* bytes, std::size_t count) noexcept;

// A scan reads two bytes in front of these, and so many behind.
inline constexpr std::size_t kColdScanAhead = 8;

[[nodiscard]] std::size_t pass_cold_avx2(const HeatTables& tables, const std::uint8_t* bytes, std::size_t count) noexcept;

// The one for this processor; null if there is none that is faster than going byte by byte.
[[nodiscard]] ColdScan best_cold_scan() noexcept;

}  // namespace bdelta::mix
