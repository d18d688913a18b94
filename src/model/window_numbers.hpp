// A window in numbers, and what the models of its columns ask of them: which diagonals were used last, and where in the
// target a copied byte stands.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"

namespace bdelta::mix {

// A copy and the literal bytes in front of it.
struct OpNumbers {
  std::uint64_t literal = 0;
  std::uint64_t length = 0;
  std::uint64_t jump = 0;  // zigzag of the diagonal's change
};

struct RunNumbers {
  std::uint32_t gap = 0;
  std::uint32_t length = 0;
};

// A window in numbers. A decoder sets the counts of ops and runs and what is not in scope, and has the rest filled in.
struct WindowNumbers {
  std::uint64_t target_length = 0;
  std::vector<OpNumbers> ops;
  std::vector<RunNumbers> runs;
  Bytes values;
};

inline std::uint32_t fold(std::uint64_t value) { return static_cast<std::uint32_t>(value ^ value >> 32); }

// The diagonals used last, the latest first.
class RecentDiagonals {
 public:
  static constexpr unsigned kCount = 15;

  // 1 for the latest, up to kCount; 0: not among them.
  [[nodiscard]] unsigned recency_of(std::uint64_t diagonal) const {
    for (unsigned i = 0; i < kCount; ++i) {
      if (diagonals_[i] == diagonal) return i + 1;
    }
    return 0;
  }
  [[nodiscard]] std::uint64_t at(unsigned recency) const { return diagonals_[recency - 1]; }

  void use(std::uint64_t diagonal, unsigned recency) {
    const unsigned from = recency == 0 ? kCount - 1 : recency - 1;
    for (unsigned i = from; i > 0; --i) diagonals_[i] = diagonals_[i - 1];
    diagonals_[0] = diagonal;
  }

 private:
  std::array<std::uint64_t, kCount> diagonals_{};
};

// Walks the copied bytes of a window and knows where in the target each stands, and how many runs began in its copy.
class CopyWalk {
 public:
  CopyWalk(const std::vector<OpNumbers>& ops, std::uint64_t pos) : ops_(ops), pos_(pos) { enter(); }

  [[nodiscard]] std::uint64_t pos() const { return pos_; }
  [[nodiscard]] std::uint64_t left_in_copy() const { return left_; }
  [[nodiscard]] bool has_next_copy() const { return at_ + 1 < ops_.size(); }
  [[nodiscard]] unsigned runs_here() const { return runs_here_; }
  [[nodiscard]] unsigned runs_before() const { return runs_before_; }  // of the copy before

  void begin_run() { ++runs_here_; }

  // To the first byte of the next copy, which there is. Gives how many bytes were left of this one.
  std::uint64_t pass_copy() {
    const std::uint64_t passed = left_;
    pos_ += left_;
    to_next();
    return passed;
  }

  // False: the copies end before.
  bool skip(std::uint64_t bytes) {
    while (bytes > left_) {
      if (at_ >= ops_.size()) return false;
      bytes -= left_;
      pos_ += left_;
      to_next();
    }
    left_ -= bytes;
    pos_ += bytes;
    return true;
  }

 private:
  void to_next() {
    ++at_;
    runs_before_ = runs_here_;
    runs_here_ = 0;
    enter();
  }

  void enter() {
    left_ = at_ < ops_.size() ? ops_[at_].length : 0;
    if (at_ < ops_.size()) pos_ += ops_[at_].literal;
  }

  const std::vector<OpNumbers>& ops_;
  std::size_t at_ = 0;
  std::uint64_t pos_;
  std::uint64_t left_ = 0;
  unsigned runs_here_ = 0;
  unsigned runs_before_ = 0;
};

}  // namespace bdelta::mix
