// What is added to a copied byte, under contexts of two kinds: some tell what is added, as numbers that moved together do,
// some tell the byte that it makes, as text does.
//
// Bits are coded from the lowest on. Then each bit of the sum follows from the same bit of what is added, as the copied
// byte is known and so is the carry: the contexts of both kinds predict one and the same bit, those of the second kind turned
// over where the copied bit and the carry differ, and are mixed like any others. Else it is done as in the literal model:
// lines of slots that know their context, whose content has a meaning that is learned for each context.
#pragma once

#include "model/column_models.hpp"
#include "model/small_mixing.hpp"

namespace bdelta::mix {

template <std::size_t N, std::size_t kAdded>
class ByteMixer {
 public:
  static constexpr std::size_t kPlaces = 8;

  explicit ByteMixer(unsigned table_log) : lines_(table_log) {
    weights_by_place_.fill(65536 * 28 / 100);
    weights_by_node_.fill(0);
    order0_.fill(kFreshSlot);
    made0_.fill(kFreshSlot);
  }

  // Codes `added`, what makes `copied` another byte. The first kAdded contexts are those that tell what is added. place:
  // below kPlaces; chooses the weights. before: a byte, under which the outcome is corrected.
  template <class Coder>
  std::uint8_t code(Coder& coder, std::uint8_t copied, std::uint8_t added, const Contexts<N>& contexts,
                    std::uint32_t place, std::uint32_t before) {
    Place at{place, before, 0, 1, 1};
    unsigned carry = 0;
    for (unsigned done = 0; done < 8;) {
      LineSlots lines;
      std::array<std::uint32_t, N> hashes;
      for (std::size_t i = 0; i < N; ++i) {
        hashes[i] = hash_step(contexts[i], i < kAdded ? at.node : at.made_node);
        lines_.expect(hashes[i]);
      }
      for (std::size_t i = 0; i < N; ++i) lines[i] = lines_.find(hashes[i]);
      std::size_t known = 0;  // contexts that came up before
      for (std::size_t i = 0; i < N; ++i) known += count_of(lines[i][0]) != 0;
      at.set = place * kKnown + known * (kKnown - 1) / N;
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
  static constexpr std::size_t kInputs = N + 2;
  static constexpr std::size_t kKnown = 4;
  using LineSlots = std::array<SmallSlot*, N>;
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
    std::array<std::uint16_t*, N> meanings;
    std::array<std::int32_t, kInputs> inputs;
    std::int32_t* by_place = &weights_by_place_[at.set * kInputs];
    std::int32_t* by_node = &weights_by_node_[at.node * kInputs];
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < N; ++i) {
      slots[i] = lines[i] + (i < kAdded ? in_line : made_in_line) - 1;
      meanings[i] = meanings_.of(i, *slots[i]);
      inputs[i] = count_of(*slots[i]) == 0 ? 0 : kTables.stretch[*meanings[i] >> 4];
    }
    slots[N] = &order0_[at.place * 256 + at.node];
    inputs[N] = stretched(*slots[N]);
    slots[N + 1] = &made0_[at.place * 256 + at.made_node];
    inputs[N + 1] = stretched(*slots[N + 1]);
    for (std::size_t i = 0; i < kInputs; ++i) {
      if (flip != 0 && is_made(i)) inputs[i] = -inputs[i];
      sum += std::int64_t{inputs[i]} * (std::int64_t{by_place[i]} + by_node[i]);
    }
    const int x = stretched_sum(sum);
    const std::uint32_t mixed = squash(x);
    const auto near = corrections_.around(hash_of(at.before, at.node, at.place) >> 22, x);
    bit = coder.bit(bit, std::clamp<std::uint32_t>((mixed + near.corrected()) / 2, 32, 65504));

    const std::int32_t error = static_cast<std::int32_t>(bit << 16) - static_cast<std::int32_t>(mixed);
    const unsigned slowness = coded_bits_++ < kEarlyBits ? 14 : 15;
    for (std::size_t i = 0; i < kInputs; ++i) {
      const auto change = static_cast<std::int32_t>(std::int64_t{inputs[i]} * error >> slowness);
      by_place[i] = wrapped_sum(by_place[i], change);
      by_node[i] = wrapped_sum(by_node[i], change);
      const unsigned seen = is_made(i) ? bit ^ flip : bit;
      if (i < N) move_to(*meanings[i], seen, 7);
      learn_small(*slots[i], seen);
    }
    near.learn_both(bit);
    return bit;
  }

  static constexpr bool is_made(std::size_t input) { return (input >= kAdded && input < N) || input == N + 1; }

  static constexpr std::uint64_t kEarlyBits = 2048;  // while weights move twice as fast

  SmallLineTable lines_;
  std::array<std::int32_t, kPlaces * kKnown * kInputs> weights_by_place_;
  std::array<std::int32_t, 256 * kInputs> weights_by_node_;
  std::array<SmallSlot, kPlaces * 256> order0_;
  std::array<SmallSlot, kPlaces * 256> made0_;
  Meanings<N> meanings_;
  Corrections<1024> corrections_;
  std::uint64_t coded_bits_ = 0;
};

}  // namespace bdelta::mix
