// Predictions of a bit, mixed.
//
// A *slot* is what one context has seen so far: a probability that starts at one half and moves towards each bit. It moves
// fast at first, as an average would, and slower the more it has seen. A bit is predicted by the slots of several contexts at
// once. Their probabilities are stretched to ln(p / (1 - p)), where certainty counts for more, added up under weights, and
// squashed back. After the bit each weight moves towards those slots that were right. What has seen nothing has stretch 0 and
// no say, so contexts may be as narrow as one likes. The method is the logistic mixing of PAQ, M. Mahoney, 2005.
//
// Slots are small, since fetching them takes much of the time: sixteen of them fill half a cache line. What becomes of a slot
// stands in a table, as a load takes a third of the instructions of computing it. Its count is above its probability, so that
// the many slots that have seen much share 8 KiB of it. What is done after a bit is compiled once for each of its values, and
// the bit is branched on. Where the processor predicts the branch, as it mostly does, the next bit's slots are fetched while
// this bit is still being computed.
//
// All arithmetic is in integers, so that every machine computes the same: FORMAT.md and MODELLED_BYTES.md give it in
// full.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace bdelta::mix {

// 4 bits of how many bits were seen, 12 bits of probability below.
using Slot = std::uint16_t;
inline constexpr unsigned kCountShift = 12;
inline constexpr unsigned kProbabilityMask = (1u << kCountShift) - 1;
inline constexpr Slot kFreshSlot = Slot{1} << 11;
inline constexpr unsigned kSeenLimit = 15;  // the count stays there, and with it the pace

inline constexpr int kStretchLimit = 2047;  // of ln(p / (1 - p)), in 256ths

// 65536 / (1 + e^(-x / 256)) for x = -2048, -1920 … 2048.
inline constexpr std::array<std::uint16_t, 33> kSquashPoints = {
    22,    36,    60,    98,    162,   267,   439,   720,   1179,  1921,  3108,  4971,  7812,  11955, 17625, 24743, 32768,
    40793, 47911, 53581, 57724, 60565, 62428, 63615, 64357, 64816, 65097, 65269, 65374, 65438, 65476, 65500, 65514};

constexpr std::uint32_t squash(int stretched) {
  const auto at = static_cast<unsigned>(stretched + 2048);
  const std::uint32_t left = kSquashPoints[at >> 7];
  const std::uint32_t right = kSquashPoints[(at >> 7) + 1];
  return left + ((right - left) * (at & 127) >> 7);
}

// For each 12-bit probability the least x with squash(x) not below the middle of what it stands for.
constexpr std::array<std::int16_t, 4096> make_stretch() {
  std::array<std::int16_t, 4096> table{};
  int x = -kStretchLimit;
  for (std::size_t p = 0; p < table.size(); ++p) {
    while (x < kStretchLimit && squash(x) < p * 16 + 8) ++x;
    table[p] = static_cast<std::int16_t>(x);
  }
  return table;
}

// After n bits a slot moves by a part of the way: two over this. At first that makes an average.
inline constexpr std::array<std::uint32_t, kSeenLimit + 1> kPaces = {3,  5,  7,  9,  11, 13, 15, 17,
                                                                    19, 21, 24, 30, 36, 40, 48, 56};

// What each slot becomes by a 0. By a 1 it becomes the same with its probability turned over, before and after.
template <unsigned kLimit>
using NextSlots = std::array<Slot, (kLimit + 1) << kCountShift>;

// squash() of all x, at x + 2048.
constexpr std::array<std::uint16_t, 4096> make_squash() {
  std::array<std::uint16_t, 4096> table{};
  for (int x = -kStretchLimit; x <= kStretchLimit; ++x) {
    table[static_cast<std::size_t>(x + 2048)] = static_cast<std::uint16_t>(squash(x));
  }
  return table;
}

struct Tables {
  std::array<std::int16_t, 4096> stretch;
  std::array<std::uint16_t, 4096> squash;
};
extern const Tables kTables;

// Filled by fill_next_slots(), which tables of lines call when they are made. As constants they would be a fifth of the
// library that applies; filling them takes a tenth of a millisecond.
extern NextSlots<kSeenLimit> next_slots;
void fill_next_slots();  // once, whoever calls it again; from any thread

inline unsigned count_of(Slot slot) { return slot >> kCountShift; }
inline std::int32_t stretched(Slot slot) { return kTables.stretch[slot & kProbabilityMask]; }

template <unsigned kLimit>
inline void learn_from(const NextSlots<kLimit>& next, Slot& slot, unsigned bit) {
  const unsigned turn = (0 - bit) & kProbabilityMask;
  slot = static_cast<Slot>(next[slot ^ turn] ^ turn);
}

inline void learn(Slot& slot, unsigned bit) { learn_from<kSeenLimit>(next_slots, slot, bit); }

// A bit under one slot alone: the middle of what its twelve bits stand for.
template <class Coder>
inline unsigned code_bit(Coder& coder, Slot& slot, unsigned bit) {
  const std::uint32_t one = (slot & kProbabilityMask) << 4 | 8;
  bit = coder.bit(bit, one);
  learn(slot, bit);
  return bit;
}

// The weights of N slots, in 65536ths.
template <std::size_t N>
struct Weights {
  std::array<std::int32_t, N> of;
  constexpr Weights() { of.fill(static_cast<std::int32_t>(65536 * 5 / 4 / N)); }
};

template <unsigned kBit, std::size_t N>
[[gnu::always_inline]] inline void learn(const std::array<Slot*, N>& slots,
                                         const std::array<std::int32_t, N>& inputs, Weights<N>& weights,
                                         std::uint32_t one) {
  // At most 2^16 * 2^11 in size, so products fit into 32 bits.
  const std::int32_t error = static_cast<std::int32_t>(kBit << 16) - static_cast<std::int32_t>(one);
  for (std::size_t i = 0; i < N; ++i) {
    weights.of[i] += inputs[i] * error >> 14;
    learn(*slots[i], kBit);
  }
}

template <std::size_t N, class Coder>
[[gnu::always_inline]] inline unsigned code_bit(Coder& coder, const std::array<Slot*, N>& slots, Weights<N>& weights,
                                                unsigned bit) {
  std::array<std::int32_t, N> inputs;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < N; ++i) {
    inputs[i] = stretched(*slots[i]);
    sum += std::int64_t{inputs[i]} * weights.of[i];
  }
  sum >>= 16;
  const int x = sum > kStretchLimit ? kStretchLimit : sum < -kStretchLimit ? -kStretchLimit : static_cast<int>(sum);
  const std::uint32_t one = kTables.squash[static_cast<unsigned>(x + 2048)];
  if (coder.bit(bit, one) != 0) {
    learn<1, N>(slots, inputs, weights, one);
    return 1;
  }
  learn<0, N>(slots, inputs, weights, one);
  return 0;
}

// Of products of stretched probabilities and weights, what they come to as a stretched probability.
inline int stretched_sum(std::int64_t sum) {
  return static_cast<int>(std::clamp<std::int64_t>(sum >> 16, -kStretchLimit, kStretchLimit));
}

// Of weights that stay far from their limits unless someone made a code to drive them there; that too has to be defined.
inline std::int32_t wrapped_sum(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

// Numbers of a context become one, well spread over 32 bits.
constexpr std::uint32_t hash_join(std::uint32_t hash, std::uint32_t value) {
  hash = (hash ^ value) * 0x9e3779b1u;
  return hash ^ hash >> 15;
}
template <class... Values>
constexpr std::uint32_t hash_of(std::uint32_t first, Values... values) {
  std::uint32_t hash = hash_join(0x5bd1e995u, first);
  ((hash = hash_join(hash, values)), ...);
  return hash;
}

// Sixteen slots, one for each node of a nibble's tree: half a cache line. Slot 0 is not used by trees.
struct alignas(32) Line {
  std::array<Slot, 16> slots;
  constexpr Line() { slots.fill(kFreshSlot); }
};

// Lines found by the hash of a context. What meets in a line shares it.
class LineTable {
 public:
  explicit LineTable(unsigned log) : lines_(std::size_t{1} << log), mask_((std::uint32_t{1} << log) - 1) {
    fill_next_slots();
  }
  Line& at(std::uint32_t hash) { return lines_[hash & mask_]; }

 private:
  std::vector<Line> lines_;
  std::uint32_t mask_;
};

}  // namespace bdelta::mix
