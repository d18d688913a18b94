// Gaps of residual runs: how many copied bytes stay as they are in front of each.
#pragma once

#include <algorithm>
#include <vector>

#include "model/column_models.hpp"
#include "model/position_model.hpp"
#include "model/streams.hpp"
#include "model/window_numbers.hpp"

namespace bdelta::mix {

// The runs of a group so far.
struct LastRuns {
  RunNumbers last;  // with the gap as it was told
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

// Gaps told copy by copy: whether the run begins in a later copy, and how far in its own. Where a copy ends says nothing
// about how far into the next one a change stands. So what the first run of a copy is like is told by such runs.
class GapModel {
 public:
  explicit GapModel(unsigned table_log)
      : by_left_(std::size_t{128} * 16, kFreshSlot), by_counts_(std::size_t{16} * 16, kFreshSlot),
        by_run_(4096, kFreshSlot), guess_(table_log + 9), numbers_(table_log + 6) {}

  // Whether the run begins behind what is left of the walk's copy.
  template <class Coder>
  bool code_pass(Coder& coder, bool passes, const CopyWalk& walk, const LastRuns& runs) {
    const unsigned here = std::min(walk.runs_here(), 15u);
    const unsigned before = std::min(walk.runs_before(), 15u);
    coder.enter(kResidualGaps);
    const std::array<Slot*, 3> slots = {&by_left_[class_of(walk.left_in_copy()) * 16 + here],
                                        &by_counts_[here * 16 + before],
                                        &by_run_[hash_of(runs.last.length, runs.recent_values & 0xffff) >> 20]};
    return code_bit<3>(coder, slots, pass_weights_[std::min(here, 3u)], passes ? 1 : 0) != 0;
  }

  // From the walk's place to the run. In `runs` gaps are such distances too.
  template <class Coder>
  std::uint64_t code(Coder& coder, std::uint64_t distance, const CopyWalk& walk, const LastRuns& runs) {
    const bool first = walk.runs_here() == 0;
    const std::uint32_t f = first ? 1 : 0;
    const std::array<std::uint32_t, 3> inner = {runs.last.gap, runs.before_last.gap, runs.third_gap};
    const auto [g1, g2, g3] = first ? first_distances_ : inner;
    const auto alignment = static_cast<unsigned>(walk.pos() & 3);
    const auto near = static_cast<unsigned>(walk.pos() & 511);
    const unsigned length = std::min(runs.last.length, 7u);
    const std::uint32_t latest = runs.recent_values & 0xffff;
    coder.enter(kResidualGaps);
    const Contexts<2> long_contexts = {hash_of(1, g1, runs.last.length, g2, runs.before_last.length, latest, f),
                                       hash_of(2, g1, g2, g3, f)};
    const auto guess = guess_.code(coder, distance, long_contexts, hash_of(g1, length, f), length);
    if (guess.right) {
      distance = guess.value;
    } else {
      const Contexts<5> contexts = {hash_of(class_of(g1), runs.last.length, alignment, f), hash_of(latest, length, f),
                                    hash_of(class_of(walk.left_in_copy()), f), hash_of(g1, length, g2, f),
                                    hash_of(near, f)};
      distance = numbers_.code_distance(coder, distance, contexts, walk.pos(), places_, walk.pos());
    }
    guess_.learn(distance);
    if (first) first_distances_ = {static_cast<std::uint32_t>(distance), first_distances_[0], first_distances_[1]};
    return distance;
  }

 private:
  std::vector<Slot> by_left_;
  std::vector<Slot> by_counts_;
  std::vector<Slot> by_run_;
  std::array<Weights<3>, 4> pass_weights_;
  GuessModel guess_;
  NumberModel<5, true> numbers_;
  PositionModel places_;
  std::array<std::uint32_t, 3> first_distances_{};  // of the last runs that were the first of their copies
};

}  // namespace bdelta::mix
