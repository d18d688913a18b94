// What the model of missed bytes remembers: the copied bytes before the place at hand and which of them changed.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "base/bytes.hpp"

namespace bdelta::mix {

struct MissState {
  std::uint32_t behind = 0;   // the last four copied bytes as copied, the latest lowest
  std::uint32_t after = 0;    // the same as they are in the target
  std::uint32_t changes = 0;  // a bit for each of the last bytes: 1 if it changed
  std::uint64_t gap = 0;      // copied bytes since the last change
  std::uint32_t run = 0;      // changes in a row up to here
  std::uint32_t run_before = 0;
  std::array<std::uint32_t, 3> gaps{};  // in front of the last runs, the latest first; 65535 for more
  std::uint32_t values = 0;   // the last four values added, the latest lowest
  std::uint32_t first = 0;    // value of the run at hand or of the last one

  static constexpr std::size_t kGapClasses = 12;

  // How far back the last change lies, in few classes.
  [[nodiscard]] std::size_t gap_class() const {
    if (gap < 4) return static_cast<std::size_t>(gap);
    return std::min<std::size_t>(4 + static_cast<std::size_t>(std::bit_width(gap)) - 3, kGapClasses - 1);
  }
  [[nodiscard]] std::uint32_t short_gap() const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(gap, 65535));
  }

  // A byte that stays. True if it is the first behind a run.
  bool note_hit(std::uint8_t copied) {
    const bool ends_run = gap == 0;
    if (ends_run) {
      run_before = run;
      run = 0;
    }
    ++gap;
    changes <<= 1;
    after = after << 8 | copied;
    behind = behind << 8 | copied;
    return ends_run;
  }

  // Bytes that stay, behind one that did; at least one.
  void note_hits(ByteSpan copied) {
    gap += copied.size();
    changes = copied.size() < 32 ? changes << copied.size() : 0;
    for (const std::uint8_t byte : copied.last(std::min<std::size_t>(copied.size(), 4))) {
      after = after << 8 | byte;
      behind = behind << 8 | byte;
    }
  }

  // Before the value of a byte that changes.
  void begin_miss() {
    changes = changes << 1 | 1;
    if (run == 0) gaps = {short_gap(), gaps[0], gaps[1]};
  }
  // After it.
  void end_miss(std::uint8_t copied, std::uint8_t added) {
    if (run == 0) first = added;
    ++run;
    gap = 0;
    values = values << 8 | added;
    after = after << 8 | static_cast<std::uint8_t>(copied + added);
    behind = behind << 8 | copied;
  }

  // Place in the run, for contexts, and what of the run stands before it.
  [[nodiscard]] std::uint32_t place() const { return std::min(run, 7u); }
  [[nodiscard]] std::uint32_t in_run() const { return run == 0 ? 0 : values & (run == 1 ? 0xffu : 0xffffu); }
};

}  // namespace bdelta::mix
