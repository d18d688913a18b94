// What mixers learn beside weights: what a slot's content was right to say, and how outcomes did before.
#pragma once

#include <array>

#include "model/small_lines.hpp"

namespace bdelta::mix {

// 16 bits of probability, a 2^slowness-th of the way.
inline void move_to(std::uint16_t& p, unsigned bit, unsigned slowness) {
  const std::int32_t goal = bit != 0 ? 65535 : 0;
  p = static_cast<std::uint16_t>(p + ((goal - p) >> slowness));
}

// For each context, what its slots were right to say: 16 bits of probability for the upper 6 bits of a slot's own and how
// often it was used.
template <std::size_t kContexts>
class Meanings {
 public:
  Meanings() {
    for (std::size_t i = 0; i < of_.size(); ++i) of_[i] = static_cast<std::uint16_t>(i % kProbabilities * 1024 + 512);
  }
  [[nodiscard]] std::uint16_t* of(std::size_t context, SmallSlot slot) {
    return &of_[context * kContents + (slot >> (kCountShift - kProbabilityBits))];
  }

 private:
  static constexpr unsigned kProbabilityBits = 6;
  static constexpr std::size_t kProbabilities = 1 << kProbabilityBits;
  static constexpr std::size_t kContents = 16 * kProbabilities;
  std::array<std::uint16_t, kContexts * kContents> of_;
};

// What outcomes of a mixer came to before, in one of so many rows: at 33 steps, 128 apart, between which lies a line.
template <std::size_t kRows>
class Corrections {
 public:
  Corrections() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const int x = std::clamp((static_cast<int>(i % kSteps) - 16) * 128, -kStretchLimit, kStretchLimit);
      steps_[i] = static_cast<std::uint16_t>(squash(x));
    }
  }

  // The two steps around an outcome.
  struct Around {
    std::uint16_t* steps;
    std::uint32_t share;  // of the second, in 128ths
    [[nodiscard]] std::uint32_t corrected() const { return (steps[0] * (128 - share) + steps[1] * share) >> 7; }
    void learn(unsigned bit) const {
      move_to(steps[0], bit, 6);
      move_to(steps[1], bit, 6);
    }
  };
  [[nodiscard]] Around around(std::size_t row, int x) {
    const auto step = static_cast<std::uint32_t>(x + 2048);
    return {&steps_[row * kSteps + (step >> 7)], step & 127};
  }

 private:
  static constexpr std::size_t kSteps = 33;
  std::array<std::uint16_t, kRows * kSteps> steps_;
};

}  // namespace bdelta::mix
