// Extension of a seed along its diagonal.
//
// Idea: walk away from the seed and keep a score, +1 for an equal byte and -penalty for an unequal one. The cover ends
// where the score was best; the walk gives up once the score has dropped by `x_drop` below that best (the X-drop rule
// of BLAST, Zhang et al. 2000). The bytes are compared 64 at a time. Inside a block the walk goes from run to run of
// the mismatch mask. So equal blocks cost one compare, and the result is exact to the byte for every instruction
// set.
#pragma once

#include <cstdint>

#include "match/block_compare.hpp"

namespace bdelta {

struct ExtendCosts {
  int penalty;  // what an unequal byte costs, in equal bytes; more = stricter
  int x_drop;   // how far the score may fall below its best before the walk ends; more = patient
};

struct Extension {
  std::uint64_t length = 0;  // bytes up to the best score
  std::int64_t score = 0;    // equal - penalty * unequal over that length
};

namespace detail {

struct Walk {
  std::int64_t score = 0;
  Extension best;

  // Takes `count` (at most 64) places whose mismatches are the low bits of `mask`, in walking order; `done` places
  // lie behind. False when the walk is over.
  inline bool step(std::uint64_t mask, unsigned count, std::uint64_t done, const ExtendCosts& costs) noexcept {
    unsigned at = 0;
    while (at < count) {
      const std::uint64_t rest = mask >> at;
      const unsigned equal = rest ? static_cast<unsigned>(std::countr_zero(rest)) : count - at;
      at += equal < count - at ? equal : count - at;
      score += equal;
      if (score > best.score) best = {done + at, score};
      if (at >= count) break;
      unsigned unequal = static_cast<unsigned>(std::countr_one(mask >> at));
      if (unequal > count - at) unequal = count - at;
      at += unequal;
      score -= static_cast<std::int64_t>(costs.penalty) * unequal;
      if (score < best.score - costs.x_drop) return false;
    }
    return true;
  }
};

inline std::uint64_t reverse_bits(std::uint64_t v) noexcept {
  v = ((v >> 1) & 0x5555555555555555ull) | ((v & 0x5555555555555555ull) << 1);
  v = ((v >> 2) & 0x3333333333333333ull) | ((v & 0x3333333333333333ull) << 2);
  v = ((v >> 4) & 0x0f0f0f0f0f0f0f0full) | ((v & 0x0f0f0f0f0f0f0f0full) << 4);
  v = ((v >> 8) & 0x00ff00ff00ff00ffull) | ((v & 0x00ff00ff00ff00ffull) << 8);
  v = ((v >> 16) & 0x0000ffff0000ffffull) | ((v & 0x0000ffff0000ffffull) << 16);
  return (v >> 32) | (v << 32);
}

}  // namespace detail

// Forward from source[0], target[0] over at most `limit` bytes.
inline Extension extend_forward(const std::uint8_t* source, const std::uint8_t* target, std::uint64_t limit,
                                const ExtendCosts& costs) noexcept {
  detail::Walk walk;
  std::uint64_t done = 0;
  for (; limit - done >= kCompareBlock; done += kCompareBlock) {
    const std::uint64_t mask = mismatch_mask(source + done, target + done);
    if (mask == 0) {
      walk.score += static_cast<std::int64_t>(kCompareBlock);
      if (walk.score > walk.best.score) walk.best = {done + kCompareBlock, walk.score};
      continue;
    }
    if (!walk.step(mask, kCompareBlock, done, costs)) return walk.best;
  }
  for (; done < limit; ++done) {
    if (!walk.step(source[done] != target[done], 1, done, costs)) break;
  }
  return walk.best;
}

// Backward from source[-1], target[-1] over at most `limit` bytes.
inline Extension extend_backward(const std::uint8_t* source, const std::uint8_t* target, std::uint64_t limit,
                                 const ExtendCosts& costs) noexcept {
  detail::Walk walk;
  std::uint64_t done = 0;
  for (; limit - done >= kCompareBlock; done += kCompareBlock) {
    const std::uint64_t mask = mismatch_mask(source - done - kCompareBlock, target - done - kCompareBlock);
    if (mask == 0) {
      walk.score += static_cast<std::int64_t>(kCompareBlock);
      if (walk.score > walk.best.score) walk.best = {done + kCompareBlock, walk.score};
      continue;
    }
    if (!walk.step(detail::reverse_bits(mask), kCompareBlock, done, costs)) return walk.best;
  }
  for (; done < limit; ++done) {
    const std::uint64_t at = done + 1;
    if (!walk.step(*(source - at) != *(target - at), 1, done, costs)) break;
  }
  return walk.best;
}

}  // namespace bdelta
