// Gaps of residual runs: how many copied bytes stay as they are in front of each.
#pragma once

#include <algorithm>

#include "model/column_models.hpp"
#include "model/window_numbers.hpp"

namespace bdelta::mix {

// The runs of a group so far.
struct RunHistory {
  RunNumbers last;
  RunNumbers before_last;
  std::uint32_t third_gap = 0;
  std::uint32_t recent_values = 0;  // the last four, the latest in the low byte
  std::uint32_t first_value = 0;    // of the last run

  void note(const RunNumbers& run, const std::uint8_t* values) {
    for (std::uint32_t i = run.length - std::min(run.length, 4u); i < run.length; ++i) {
      recent_values = recent_values << 8 | values[i];
    }
    first_value = values[0];
    third_gap = before_last.gap;
    before_last = last;
    last = run;
  }
};

class GapModel {
 public:
  explicit GapModel(unsigned table_log) : guess_(table_log + 9), numbers_(table_log + 6) {}

  template <class Coder>
  std::uint64_t code(Coder& coder, std::uint64_t gap, const CopyWalk& walk, const RunHistory& runs) {
    const unsigned alignment = static_cast<unsigned>(walk.pos() & 3);
    const unsigned length = std::min(runs.last.length, 7u);
    const std::uint32_t latest = runs.recent_values & 0xffff;
    coder.enter(kResidualGaps);
    const Contexts<2> long_contexts = {
        hash_of(1, runs.last.gap, runs.last.length, runs.before_last.gap, runs.before_last.length, latest),
        hash_of(2, runs.last.gap, runs.before_last.gap, runs.third_gap)};
    const auto guess = guess_.code(coder, gap, long_contexts, hash_of(runs.last.gap, length), length);
    if (guess.right) {
      gap = guess.value;
    } else {
      gap = numbers_.code(coder, gap,
                          {hash_of(class_of(runs.last.gap), runs.last.length, alignment), hash_of(latest, length),
                           hash_of(class_of(walk.left_in_copy()), class_of(runs.last.gap)),
                           hash_of(runs.last.gap, length, runs.before_last.gap)},
                          alignment);
    }
    guess_.learn(gap);
    return gap;
  }

 private:
  GuessModel guess_;
  NumberModel<4, true> numbers_;
};

}  // namespace bdelta::mix
