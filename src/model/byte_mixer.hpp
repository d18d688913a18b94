// What is added to a copied byte, under contexts of two kinds. Some predict what is added, as numbers that moved together
// do. Others predict the byte that it makes, as text does.
//
// Bits are coded from the lowest on. Then each bit of the sum follows from the same bit of what is added, as the copied
// byte is known and so is the carry. The contexts of both kinds predict one and the same bit, and are mixed like any
// others. Those of the second kind are turned over where the copied bit and the carry differ.
//
// A byte is coded as two nibbles. For each of them and each context a line of slots is found that knows its context. What
// a slot's content means is learned for each context. In the narrowest, a slot that saw one bit is nearly sure of the
// next; in the widest it knows little. These meanings are stretched and mixed, and the outcome is corrected by how such
// outcomes did before.
#pragma once

#include "model/column_models.hpp"
#include "model/outcomes.hpp"
#include "model/small_lines.hpp"

namespace bdelta::mix {

inline constexpr std::size_t kValueContexts = 9;
inline constexpr std::size_t kAddedContexts = 7;  // the first of them: what is added

class ByteMixer {
 public:
  explicit ByteMixer(unsigned table_log) : lines_(table_log) {
    weights_by_place_.fill(65536 * 28 / 100);
    weights_by_node_.fill(0);
    order0_.fill(kFreshSlot);
    made0_.fill(kFreshSlot);
  }

  // Codes `added`, what makes `copied` another byte. place: 0 to 7, chooses the weights. before: a byte, under
  // which the outcome is corrected.
  template <class Coder>
  std::uint8_t code(Coder& coder, std::uint8_t copied, std::uint8_t added, const Contexts<kValueContexts>& contexts,
                    std::uint32_t place, std::uint32_t before) {
    Place at{place, before, 0, 1, 1};
    unsigned carry = 0;
    for (unsigned done = 0; done < 8;) {
      LineSlots lines;
      std::array<std::uint32_t, kValueContexts> hashes;
      for (std::size_t i = 0; i < kValueContexts; ++i) {
        hashes[i] = hash_join(contexts[i], i < kAddedContexts ? at.node : at.made_node);
        lines_.expect(hashes[i]);
      }
      for (std::size_t i = 0; i < kValueContexts; ++i) lines[i] = lines_.find(hashes[i]);
      std::size_t known = 0;  // contexts that came up before
      for (std::size_t i = 0; i < kValueContexts; ++i) known += count_of(lines[i][0]) != 0;
      at.set = place * kKnown + known * (kKnown - 1) / kValueContexts;
      unsigned in_line = 1, made_in_line = 1;
      for (unsigned end = done + 4; done < end; ++done) {
        const unsigned own = copied >> done & 1;
        const unsigned flip = own ^ carry;
        const unsigned bit = code_bit(coder, lines, in_line, made_in_line, flip, at, added >> done & 1);
        const unsigned made = bit ^ flip;
        carry = (own & bit) | (carry & (own | bit));
        in_line = in_line * 2 + bit;
        made_in_line = made_in_line * 2 + made;
        at.node = at.node * 2 + bit;
        at.made_node = at.made_node * 2 + made;
      }
    }
    unsigned sum = 0;
    for (unsigned i = 0; i < 8; ++i) sum |= (at.node >> (7 - i) & 1) << i;
    return static_cast<std::uint8_t>(sum);
  }

 private:
  static constexpr std::size_t kPlaces = 8;
  static constexpr std::size_t kInputs = kValueContexts + 2;
  static constexpr std::size_t kKnown = 4;
  static constexpr unsigned kCorrectionLog = 10;
  using LineSlots = std::array<SmallSlot*, kValueContexts>;
  struct Place {
    std::uint32_t place;
    std::uint32_t before;
    std::size_t set;
    unsigned node;       // 1 and the bits so far of what is added
    unsigned made_node;  // the same of what is made
  };

  template <class Coder>
  unsigned code_bit(Coder& coder, const LineSlots& lines, unsigned in_line, unsigned made_in_line, unsigned flip,
                    const Place& at, unsigned bit) {
    std::array<SmallSlot*, kInputs> slots;
    std::array<std::uint16_t*, kValueContexts> meanings;
    std::array<std::int32_t, kInputs> inputs;
    std::int32_t* by_place = &weights_by_place_[at.set * kInputs];
    std::int32_t* by_node = &weights_by_node_[at.node * kInputs];
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < kValueContexts; ++i) {
      slots[i] = lines[i] + (i < kAddedContexts ? in_line : made_in_line) - 1;
      meanings[i] = meanings_.of(i, *slots[i]);
      inputs[i] = count_of(*slots[i]) == 0 ? 0 : kTables.stretch[*meanings[i] >> 4];
    }
    slots[kValueContexts] = &order0_[at.place * 256 + at.node];
    inputs[kValueContexts] = stretched(*slots[kValueContexts]);
    slots[kValueContexts + 1] = &made0_[at.place * 256 + at.made_node];
    inputs[kValueContexts + 1] = stretched(*slots[kValueContexts + 1]);
    for (std::size_t i = 0; i < kInputs; ++i) {
      if (flip != 0 && is_made(i)) inputs[i] = -inputs[i];
      sum += std::int64_t{inputs[i]} * (std::int64_t{by_place[i]} + by_node[i]);
    }
    const int x = stretched_sum(sum);
    const std::uint32_t mixed = squash(x);
    const auto near = corrections_.around(hash_of(at.before, at.node, at.place) >> (32 - kCorrectionLog), x);
    bit = coder.bit(bit, std::clamp<std::uint32_t>((mixed + near.corrected()) / 2, 32, 65504));

    const std::int32_t error = static_cast<std::int32_t>(bit << 16) - static_cast<std::int32_t>(mixed);
    const unsigned slowness = coded_bits_++ < kEarlyBits ? 14 : 15;
    for (std::size_t i = 0; i < kInputs; ++i) {
      const auto change = static_cast<std::int32_t>(std::int64_t{inputs[i]} * error >> slowness);
      by_place[i] = wrapped_sum(by_place[i], change);
      by_node[i] = wrapped_sum(by_node[i], change);
      const unsigned seen = is_made(i) ? bit ^ flip : bit;
      if (i < kValueContexts) move_to(*meanings[i], seen, 7);
      learn_small(*slots[i], seen);
    }
    near.learn(bit);
    return bit;
  }

  static constexpr bool is_made(std::size_t input) {
    return (input >= kAddedContexts && input < kValueContexts) || input == kValueContexts + 1;
  }

  static constexpr std::uint64_t kEarlyBits = 2048;  // while weights move twice as fast

  SmallLineTable lines_;
  std::array<std::int32_t, kPlaces * kKnown * kInputs> weights_by_place_;
  std::array<std::int32_t, 256 * kInputs> weights_by_node_;
  std::array<SmallSlot, kPlaces * 256> order0_;
  std::array<SmallSlot, kPlaces * 256> made0_;
  Meanings<kValueContexts> meanings_;
  Corrections<(1u << kCorrectionLog)> corrections_;
  std::uint64_t coded_bits_ = 0;
};

}  // namespace bdelta::mix
