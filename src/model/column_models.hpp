// Models of single columns: numbers, short counts, bytes, and guesses of a whole value. Each is told the contexts that
// the caller finds worth watching, as hashes, and mixes what they predict.
// Code is written once for encoder and decoder, see range_coder.hpp: values go in and come back.
#pragma once

#include <algorithm>
#include <bit>
#include <memory>

#include "model/mixing.hpp"
#include "model/position_model.hpp"

namespace bdelta::mix {

template <std::size_t N>
using Contexts = std::array<std::uint32_t, N>;  // hashes

template <std::size_t N>
using LineSet = std::array<Line*, N>;

template <std::size_t N>
LineSet<N> find_lines(LineTable& table, const Contexts<N>& contexts, std::uint32_t salt) {
  LineSet<N> lines;
  for (std::size_t i = 0; i < N; ++i) {
    lines[i] = &table.at(hash_join(contexts[i], salt * 16 + static_cast<std::uint32_t>(i)));
  }
  return lines;
}

// `bits` bits of a symbol, highest first, down a tree whose nodes are slots of the lines.
template <std::size_t N, class Coder>
unsigned code_tree(Coder& coder, const LineSet<N>& lines, Weights<N>* weights, unsigned bits, unsigned symbol) {
  unsigned node = 1;
  for (unsigned i = bits; i-- > 0;) {
    std::array<Slot*, N> slots;
    for (std::size_t k = 0; k < N; ++k) slots[k] = &lines[k]->slots[node];
    node = node * 2 + code_bit<N>(coder, slots, weights[node], symbol >> i & 1);
  }
  return node - (1u << bits);
}

// Class of a number: 0 to 3 are their own, then two classes for each bit length. At most 127.
inline unsigned class_of(std::uint64_t value) {
  if (value < 4) return static_cast<unsigned>(value);
  const auto top = static_cast<unsigned>(std::bit_width(value)) - 1;
  return 2 * top + static_cast<unsigned>(value >> (top - 1) & 1);
}

// Numbers of 64 bits: the class by the contexts, then what the class leaves open. Of that the three highest bits are
// learned, and the two lowest under `alignment` (0 to 3), for numbers that keep positions aligned.
// kMostlySmall: classes below 15 (numbers below 192) are told apart by four bits, others take 11; else all take 7.
template <std::size_t N, bool kMostlySmall = false>
class NumberModel {
 public:
  explicit NumberModel(unsigned table_log) : table_(table_log) {}

  template <class Coder>
  std::uint64_t code(Coder& coder, std::uint64_t value, const Contexts<N>& contexts, unsigned alignment = 0) {
    const unsigned symbol = code_class(coder, class_of(value), contexts);
    return symbol < 4 ? symbol : code_rest(coder, symbol, value, alignment);
  }

  // A number that leads from `from` to a place. Of what the class leaves open the three highest bits are learned, and as
  // many of the place's lowest as PositionModel knows; `key` may tell something about these.
  template <class Coder>
  std::uint64_t code_distance(Coder& coder, std::uint64_t value, const Contexts<N>& contexts, std::uint64_t from,
                         PositionModel& places, std::uint64_t key) {
    const unsigned symbol = code_class(coder, class_of(value), contexts);
    if (symbol < 4) return symbol;
    const unsigned bits = symbol / 2 - 1;
    if (bits < kLeastDistanceBits) return code_rest(coder, symbol, value, static_cast<unsigned>(from & 3));
    const unsigned low_bits = std::min(bits - kHighBits, PositionModel::kBits);
    const std::uint64_t high = code_high(coder, rest_[symbol * 4], symbol, value, low_bits);
    const std::uint64_t low = places.code(coder, from + value, low_bits, key) - from;
    return high << low_bits | (low & ((std::uint64_t{1} << low_bits) - 1));
  }

 private:
  static constexpr unsigned kHighBits = 3;      // of the open ones, that are learned
  static constexpr unsigned kLeastDistanceBits = 5;  // below, all open bits are learned anyway

  template <class Coder>
  unsigned code_class(Coder& coder, unsigned symbol, const Contexts<N>& contexts) {
    if constexpr (kMostlySmall) {
      const LineSet<N> lines = find_lines<N>(table_, contexts, 0);
      const unsigned small = code_tree<N>(coder, lines, small_.data(), 4, std::min(symbol, 15u));
      if (small < 15) return small;
    }
    const unsigned high = code_tree<N>(coder, find_lines<N>(table_, contexts, 1), high_.data(), 4, symbol >> 3);
    const LineSet<N> lines = find_lines<N>(table_, contexts, high + 2);
    return high << 3 | code_tree<N>(coder, lines, low_.data() + high * 8, 3, symbol & 7);
  }

  template <class Coder>
  std::uint64_t code_rest(Coder& coder, unsigned symbol, std::uint64_t value, unsigned alignment) {
    const unsigned bits = symbol / 2 - 1;
    const unsigned low_bits = std::min(bits - std::min(bits, kHighBits), 2u);
    Line& line = rest_[symbol * 4 + alignment];
    std::uint64_t made = code_high(coder, line, symbol, value, low_bits);
    for (unsigned i = low_bits; i-- > 0;) {
      Slot& slot = line.slots[8 + (i == 1 ? 1u : 2u + static_cast<unsigned>(made & 1))];
      made = made << 1 | code_bit(coder, slot, static_cast<unsigned>(value >> i & 1));
    }
    return made;
  }

  // What stands above the `low_bits` lowest bits.
  template <class Coder>
  std::uint64_t code_high(Coder& coder, Line& line, unsigned symbol, std::uint64_t value, unsigned low_bits) {
    const unsigned bits = symbol / 2 - 1;
    std::uint64_t made = 2 | (symbol & 1);
    unsigned node = 1;
    for (unsigned i = bits; i-- > low_bits;) {
      unsigned bit = static_cast<unsigned>(value >> i & 1);
      if (i + kHighBits >= bits) {
        bit = code_bit(coder, line.slots[node], bit);
        node = node * 2 + bit;
      } else {
        bit = coder.bit(bit, 32768);
      }
      made = made << 1 | bit;
    }
    return made;
  }

  LineTable table_;
  std::array<Weights<N>, 16> small_;
  std::array<Weights<N>, 16> high_;
  std::array<Weights<N>, 16 * 8> low_;
  std::array<Line, 128 * 4> rest_;
};

// Counts that are mostly small: one bit each for "more than 0", "more than 1" … up to 15, from where a number goes on.
template <std::size_t N>
class CountModel {
 public:
  explicit CountModel(unsigned table_log) : table_(table_log), rest_(4) {}

  template <class Coder>
  std::uint64_t code(Coder& coder, std::uint64_t value, const Contexts<N>& contexts) {
    const LineSet<N> lines = find_lines<N>(table_, contexts, 0);
    for (unsigned i = 0; i < 15; ++i) {
      std::array<Slot*, N> slots;
      for (std::size_t k = 0; k < N; ++k) slots[k] = &lines[k]->slots[i];
      if (code_bit<N>(coder, slots, weights_[i], value > i ? 1 : 0) == 0) return i;
    }
    return 15 + rest_.code(coder, value - 15, {0});
  }

 private:
  LineTable table_;
  std::array<Weights<N>, 15> weights_;
  NumberModel<1> rest_;
};

template <std::size_t N>
class ByteModel {
 public:
  explicit ByteModel(unsigned table_log) : table_(table_log) {}

  // set: 0 to 3, chooses the weights.
  template <class Coder>
  unsigned code(Coder& coder, unsigned value, const Contexts<N>& contexts, unsigned set) {
    Weights<N>* weights = weights_.data() + set * (16 + 256);
    const unsigned high = code_tree<N>(coder, find_lines<N>(table_, contexts, 0), weights, 4, value >> 4);
    const LineSet<N> lines = find_lines<N>(table_, contexts, high + 1);
    return high << 4 | code_tree<N>(coder, lines, weights + 16 + high * 16, 4, value & 15);
  }

 private:
  LineTable table_;
  std::array<Weights<N>, 4 * (16 + 256)> weights_;
};

// One whole value, guessed to be the one that came last time in the same long context. Of two contexts that one speaks
// whose guess was right more often; how often is what the bit "as guessed" is predicted from. A guess that was hardly
// ever right is not made: its bit would cost more time and code than it saves.
class GuessModel {
 public:
  explicit GuessModel(unsigned table_log)
      : entries_(std::size_t{1} << table_log), mask_((std::uint32_t{1} << table_log) - 1),
        by_context_(4096, kFreshSlot), by_value_(4096, kFreshSlot) {
    by_kind_.fill(kFreshSlot);
  }

  struct Answer {
    bool right;
    std::uint64_t value;
  };

  // kind: 0 to 63. Whatever the answer, tell `learn` the value.
  template <class Coder>
  Answer code(Coder& coder, std::uint64_t value, const Contexts<2>& long_contexts, std::uint32_t short_context,
              unsigned kind) {
    for (std::size_t i = 0; i < 2; ++i) asked_[i] = &entries_[long_contexts[i] & mask_];
    const std::uint32_t entry = *asked_[1] >> 24 > *asked_[0] >> 24 ? *asked_[1] : *asked_[0];
    const std::uint32_t count = entry >> 24;
    const std::uint32_t guess = entry & 0xffffff;
    if (count < kLeastCount) return {false, guess};
    const std::array<Slot*, 3> slots = {&by_kind_[count * 64 + kind],
                                        &by_context_[hash_join(short_context, count) >> 20],
                                        &by_value_[hash_of(guess, count) >> 20]};
    const bool right = code_bit<3>(coder, slots, weights_[count * 64 + kind], guess == value ? 1 : 0) != 0;
    return {right, guess};
  }

  void learn(std::uint64_t value) {
    for (std::uint32_t* entry : asked_) learn(*entry, value);
  }

 private:
  static constexpr std::uint32_t kLeastCount = 5;  // of times right, of a guess that is made

  static void learn(std::uint32_t& entry, std::uint64_t value) {
    const std::uint32_t count = entry >> 24;
    const std::uint32_t guess = entry & 0xffffff;
    if (guess == value) {
      if (count < 15) entry += 1u << 24;
    } else if (count > 1) {
      entry = guess | count / 2 << 24;
    } else {
      entry = static_cast<std::uint32_t>(value & 0xffffff);
    }
  }

  std::vector<std::uint32_t> entries_;  // 24 bits of value, 8 bits of how often it was right
  std::uint32_t mask_;
  std::array<std::uint32_t*, 2> asked_{};
  std::array<Slot, 16 * 64> by_kind_;
  std::vector<Slot> by_context_;
  std::vector<Slot> by_value_;
  std::array<Weights<3>, 16 * 64> weights_;
};

}  // namespace bdelta::mix
