// Literals predicted bit by bit from what stands before them in the target and from the source near by.
//
// Literals are what no copy brings, so little in them repeats at length. But they are written in the language of the
// files: the words, opcodes and tables that stand around them in the source. Three things make use of that:
//
// - Contexts are the bytes before in the target, copied ones too. A run of three bytes is predicted from the text it
//   stands in, not from the run before it.
// - Training: before a run, parts of the source on both sides of it are coded to nobody, so that slots and weights
//   know them. It takes as long as coding, so its bytes are limited by those of the literals so far.
// - Matches: the latest place, in the source near by or among the literals, that follows the same five bytes or more
//   tells the byte that came there; so does the source where the copy before the run would have gone on.
//
// A byte is coded as two nibbles. For each of them and each context a line of 15 slots is found by hash: 12 bits of
// probability, 4 bits of how often it was used. A line knows 16 bits of its hash; of two lines that a context may take,
// a new one gets that which was used less. What a slot's content means is learned for each context (in the narrowest a
// slot that saw one bit is nearly sure of the next, in the widest it is not). These meanings are stretched and mixed as
// in mixing.hpp, with weights chosen by what is known at the place, and the outcome is corrected by how such outcomes
// did before under the same previous byte.
//
// Packer and unpacker run the same code, in integers only: the same bytes from any build.
#pragma once

#include <memory>

#include "model/literal_steps.hpp"
#include "model/small_mixing.hpp"

namespace bdelta::mix {

class LiteralModel {
 public:
  static constexpr std::size_t kFixedBytes = 128 * 1024;  // beside its tables, at most

  LiteralModel(const LiteralScope& scope, RandomReader& source)
      : source_(source), history_(scope, source), lines_(scope.table_log), run_matches_(scope.run_matches) {
    weights_by_place_.fill(kFirstWeight);
    weights_by_node_.fill(0);
    order0_.fill(kFreshSlot);
    match_slots_.fill(kFreshSlot);
    source_slots_.fill(kFreshSlot);
  }

  // Before the bytes of a run. Errors are those of the source.
  Status begin(const LiteralRun& run) {
    coded_bytes_ += run.length;
    BDELTA_TRY(prepare(run.source_before));
    BDELTA_TRY(prepare(run.source_after));
    enter_run(run, context_, history_);
    match_length_ = 0;
    seek(history_.literal_place());
    source_place_.start(history_.place_of(run.source_before));
    return {};
  }

  // The next byte of the run: see range_coder.hpp for what goes in and comes back.
  template <class Coder>
  std::uint8_t code(Coder& coder, std::uint8_t byte) {
    byte = code_byte(coder, byte);
    history_.append(byte);
    // Before the place is remembered, or it would be found itself, which is no match.
    if (match_length_ == 0 && run_matches_) seek(history_.literal_place());
    history_.remember();
    return byte;
  }

 private:
  static constexpr std::size_t kHashed = LiteralContext::kCount;
  static constexpr std::size_t kInputs = kHashed + 3;
  static constexpr std::size_t kOrder0 = kHashed, kMatch = kHashed + 1, kSource = kHashed + 2;
  static constexpr std::int32_t kFirstWeight = 65536 * 28 / 100;
  static constexpr std::size_t kMatchStates = 11;     // classes of how far a match may be believed
  static constexpr std::uint64_t kTrainedMost = 256 * 1024;
  static constexpr std::uint64_t kTrainedFirst = 64 * 1024;
  static constexpr std::uint64_t kTrainedShare = 16;  // trained bytes for each literal, beside the first ones

  static constexpr std::uint64_t kEarlyBits = 2048;   // while weights move twice as fast

  // Takes bits as they are and writes nothing.
  struct NoCoder {
    unsigned bit(unsigned bit, std::uint32_t) const { return bit; }
  };

  // Brings in the source around `pos` and trains on it, as far as the literals so far allow.
  Status prepare(std::uint64_t pos) {
    return history_.bring_around(pos, coded_bytes_, [this](std::uint64_t at) { train(at); });
  }

  void train(std::uint64_t pos) {
    const std::uint64_t most = std::min(kTrainedFirst + coded_bytes_ * kTrainedShare, kTrainedMost);
    if (trained_bytes_ + LiteralHistory::kPartBytes > most) return;
    if (!history_.mark(pos)) return;
    const std::uint64_t begin = pos - pos % LiteralHistory::kPartBytes;
    const std::uint64_t end = std::min<std::uint64_t>(begin + LiteralHistory::kPartBytes, source_.size());
    trained_bytes_ += end - begin;
    std::uint32_t place = history_.place_of(begin);
    context_.reset(nullptr, 0, begin);
    match_length_ = 0;
    source_place_.start(0);
    NoCoder nobody;
    for (std::uint64_t at = begin; at < end; ++at, ++place) {
      code_byte(nobody, history_.at(place));
      if (match_length_ == 0) seek(place + 1);
    }
  }

  void seek(std::uint32_t place) {
    const LiteralHistory::Match match = history_.find(place);
    match_place_ = match.place;
    match_length_ = match.length;
    match_misses_ = 0;
  }

  // The class of the match at hand; the last one is for matches that a bit has belied.
  [[nodiscard]] std::size_t match_state() const {
    if (match_length_ == 0) return 0;
    if (match_misses_ > 0) return match_length_ < 16 ? 8 : 9;
    if (match_length_ < 16) return match_length_ < 8 ? 1 : match_length_ < 12 ? 2 : 3;
    return match_length_ < 32 ? match_length_ < 24 ? 4 : 5 : match_length_ < 64 ? 6 : 7;
  }

  template <class Coder>
  std::uint8_t code_byte(Coder& coder, std::uint8_t value) {
    const LiteralByte byte{GuessedByte(match_length_ > 0 ? history_.at(match_place_) : GuessedByte::kNone),
                           source_place_.guess(history_), match_state()};
    value = code_nibbles(lines_, context_.hashes(byte.by_match.value(), byte.by_source.value()), value,
                         [&](const LiteralLines<kHashed>& lines, const LiteralBit& at, unsigned bit) {
                           return code_bit(coder, byte, lines, at, bit);
                         });
    note(value);
    return value;
  }

  // What a bit is predicted from.
  struct Inputs {
    std::array<SmallSlot*, kInputs> slots;            // null: has nothing to say
    std::array<std::uint16_t*, kHashed> meanings;
    std::array<std::int32_t, kInputs> stretched;
  };

  void gather(const LiteralByte& byte, const LiteralLines<kHashed>& lines, const LiteralBit& at, Inputs& inputs) {
    for (std::size_t i = 0; i < kHashed; ++i) {
      SmallSlot* slot = inputs.slots[i] = lines[i] + at.in_line - 1;
      inputs.meanings[i] = meanings_.of(i, *slot);
      inputs.stretched[i] = count_of(*slot) == 0 ? 0 : kTables.stretch[*inputs.meanings[i] >> 4];
    }
    inputs.slots[kOrder0] = &order0_[at.node];
    inputs.slots[kMatch] = guess_slot(byte.by_match, at, &match_slots_[byte.match_state * 16]);
    inputs.slots[kSource] = guess_slot(byte.by_source, at, &source_slots_[source_place_.row() * 16]);
    for (std::size_t i = kOrder0; i < kInputs; ++i) {
      inputs.stretched[i] = inputs.slots[i] ? stretched(*inputs.slots[i]) : 0;
    }
  }

  void learn(const Inputs& inputs, std::int32_t* by_place, std::int32_t* by_node, std::int32_t error, unsigned bit) {
    const unsigned slowness = coded_bits_++ < kEarlyBits ? 14 : 15;
    for (std::size_t i = 0; i < kInputs; ++i) {
      const auto step = static_cast<std::int32_t>(std::int64_t{inputs.stretched[i]} * error >> slowness);
      by_place[i] = wrapped_sum(by_place[i], step);
      by_node[i] = wrapped_sum(by_node[i], step);
      if (i < kHashed) move_to(*inputs.meanings[i], bit, 7);
      if (inputs.slots[i]) learn_small(*inputs.slots[i], bit);
    }
  }

  template <class Coder>
  unsigned code_bit(Coder& coder, const LiteralByte& byte, const LiteralLines<kHashed>& lines, const LiteralBit& at,
                    unsigned bit) {
    Inputs inputs;
    gather(byte, lines, at, inputs);
    const std::size_t belied = byte.match_state == 0 ? 0 : kMatchStates - 1;
    const std::size_t place = inputs.slots[kMatch] ? byte.match_state : belied;
    std::int32_t* by_place = &weights_by_place_[(place * kLiteralOrders + at.order) * kInputs];
    std::int32_t* by_node = &weights_by_node_[at.node * kInputs];
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < kInputs; ++i) {
      sum += std::int64_t{inputs.stretched[i]} * (std::int64_t{by_place[i]} + by_node[i]);
    }
    const int x = stretched_sum(sum);
    const std::uint32_t mixed = squash(x);
    const auto near = corrections_.around(hash_of(context_.last(), at.node) >> 22, x);
    bit = coder.bit(bit, std::clamp<std::uint32_t>((mixed + near.corrected()) / 2, 32, 65504));

    learn(inputs, by_place, by_node, static_cast<std::int32_t>(bit << 16) - static_cast<std::int32_t>(mixed), bit);
    near.learn_both(bit);
    return bit;
  }

  // Moves on by a byte.
  void note(std::uint8_t byte) {
    context_.push(byte);
    source_place_.next(history_);
    if (match_length_ == 0) return;
    if (history_.at(match_place_) == byte) {
      match_length_ = std::min(match_length_ + 1, 65535u);
      if (match_length_ > 16) match_misses_ = 0;
    } else if (match_length_ >= 16 && match_misses_ < 8) {
      ++match_misses_;  // one byte may differ in what goes on alike
      match_length_ = 8;
    } else {
      match_length_ = 0;
    }
    if (++match_place_ == history_.end()) match_length_ = 0;
  }

  RandomReader& source_;
  LiteralHistory history_;
  SmallLineTable lines_;
  const bool run_matches_;
  LiteralContext context_;
  SourcePlace source_place_;
  std::array<std::int32_t, kMatchStates * kLiteralOrders * kInputs> weights_by_place_;
  std::array<std::int32_t, 256 * kInputs> weights_by_node_;
  std::array<SmallSlot, 256> order0_;
  std::array<SmallSlot, kMatchStates * 16> match_slots_;
  std::array<SmallSlot, kSourceRows * 16> source_slots_;
  Meanings<kHashed> meanings_;
  Corrections<1024> corrections_;

  std::uint32_t match_place_ = 0;   // of the byte it tells
  std::uint32_t match_length_ = 0;  // bytes that agree; 0: no match
  std::uint32_t match_misses_ = 0;
  std::uint64_t coded_bits_ = 0;
  std::uint64_t coded_bytes_ = 0;
  std::uint64_t trained_bytes_ = 0;
};

}  // namespace bdelta::mix
