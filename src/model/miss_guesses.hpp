// What the model of misses expects from what came before in the same place: where the next change is, and what is
// added there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/column_models.hpp"
#include "model/miss_state.hpp"

namespace bdelta::mix {

// What was added last under a context, and how often in a row or nearly so.
class ValueGuesses {
 public:
  struct Entry {
    std::uint8_t value = 0;
    std::uint8_t count = 0;
  };

  explicit ValueGuesses(unsigned table_log) : shift_(32 - table_log), entries_(std::size_t{1} << table_log) {}

  [[nodiscard]] Entry& at(std::uint32_t hash) { return entries_[hash * 0x2c1b3c6du >> shift_]; }

  static void learn(Entry& entry, std::uint8_t value) {
    if (entry.value == value) {
      if (entry.count < 255) ++entry.count;
    } else if (entry.count > 3) {
      entry.count /= 4;
    } else {
      entry = {value, 1};
    }
  }

 private:
  const unsigned shift_;
  std::vector<Entry> entries_;
};

// Where the next change would be as one was before: gaps by what stood in front of them.
class GapForecast {
  static constexpr unsigned kShift = 19;
  static constexpr std::size_t kEntries = std::size_t{1} << (32 - kShift);
  static constexpr std::uint16_t kNone = 0;  // a gap that is over

 public:
  static constexpr std::size_t kBytes = 2 * kEntries * sizeof(std::uint16_t);

  GapForecast() : by_gaps_(kEntries, kNone), by_values_(kEntries, kNone) {}

  // The run at hand has ended.
  void seek(const MissState& past) {
    gaps_key_ = hash_of(1, past.gaps[0], past.gaps[1], past.run_before) >> kShift;
    values_key_ = hash_of(2, past.gaps[0], past.values & 0xffff) >> kShift;
  }
  // The next one begins.
  void learn(std::uint32_t gap) {
    by_gaps_[gaps_key_] = by_values_[values_key_] = static_cast<std::uint16_t>(gap);
  }

  // Copied bytes from here, whose gap is given, to the next that is due; many if there is none.
  [[nodiscard]] std::uint64_t distance(std::uint64_t gap, std::uint32_t last_gap) const {
    std::uint64_t least = ~std::uint64_t{0};
    for (const std::uint64_t due : {std::uint64_t{last_gap}, std::uint64_t{by_gaps_[gaps_key_]},
                                    std::uint64_t{by_values_[values_key_]}}) {
      if (due >= gap) least = std::min(least, due - gap);
    }
    return least;
  }

 private:
  std::vector<std::uint16_t> by_gaps_;
  std::vector<std::uint16_t> by_values_;
  std::uint32_t gaps_key_ = 0;
  std::uint32_t values_key_ = 0;
};

}  // namespace bdelta::mix
