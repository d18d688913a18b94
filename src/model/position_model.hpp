// Where in a file things use to stand: the lowest bits of positions.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/mixing.hpp"

namespace bdelta::mix {

// The lowest bits of places, the lowest first, so that what stands at multiples of any power of two is soon seen. One
// slot tells what bits stood above these low ones before, another the same for what `key` was then. Trust in both starts
// low, since most data stands anywhere.
class PositionModel {
 public:
  static constexpr unsigned kBits = 10;

  PositionModel() : slots_(std::size_t{1} << kBits, kFreshSlot), keyed_(std::size_t{1} << kKeyedLog, kFreshSlot) {
    for (Weights<2>& weights : weights_) weights.of.fill(kFirstWeight);
  }

  template <class Coder>
  std::uint64_t code(Coder& coder, std::uint64_t place, unsigned bits, std::uint64_t key) {
    const auto key_bits = static_cast<std::uint32_t>(key & 511);
    std::uint64_t made = 0;
    std::uint32_t node = 1;
    for (unsigned i = 0; i < bits; ++i) {
      const std::array<Slot*, 2> slots = {&slots_[node], &keyed_[hash_of(key_bits, node) >> (32 - kKeyedLog)]};
      const unsigned bit = code_bit<2>(coder, slots, weights_[i], static_cast<unsigned>(place >> i & 1));
      made |= std::uint64_t{bit} << i;
      node = node * 2 + bit;
    }
    return made;
  }

 private:
  static constexpr unsigned kKeyedLog = 13;
  static constexpr std::int32_t kFirstWeight = 20480;

  std::vector<Slot> slots_;
  std::vector<Slot> keyed_;
  std::array<Weights<2>, kBits> weights_;
};

}  // namespace bdelta::mix
