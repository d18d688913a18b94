// The light model of literals: what of literal_model.hpp gives most of its gain for a quarter of its time.
//
// It has the same history, contexts and slots, but fewer contexts; it asks the slots alone what they mean, mixes once and
// corrects nothing. Training makes the difference: it lets the slots see the source without any mixing, as weights are
// learned from a few literals while the vocabulary of a file is not. So a patch with some hundred bytes of new text
// is small and still applied within milliseconds. CONTENTS.md, section 5.6, is the specification.
#pragma once

#include "model/literal_steps.hpp"
#include "model/small_mixing.hpp"

namespace bdelta::mix {

class LightLiteralModel {
 public:
  LightLiteralModel(const LiteralScope& scope, RandomReader& source)
      : source_(source), history_(scope, source), lines_(scope.table_log) {
    weights_.fill(kFirstWeight);
    order0_.fill(kFreshSlot);
    match_slots_.fill(kFreshSlot);
    source_slots_.fill(kFreshSlot);
  }

  // Before the bytes of a run. Errors are those of the source.
  Status begin(const LiteralRun& run) {
    coded_bytes_ += run.length;
    const auto train_at = [this](std::uint64_t at) { train(at); };
    BDELTA_TRY(history_.bring_around(run.source_before, coded_bytes_, train_at));
    BDELTA_TRY(history_.bring_around(run.source_after, coded_bytes_, train_at));
    enter_run(run, context_, history_);
    seek();
    source_place_.start(history_.place_of(run.source_before));
    return {};
  }

  // The next byte of the run: see range_coder.hpp for what goes in and comes back.
  template <class Coder>
  std::uint8_t code(Coder& coder, std::uint8_t byte) {
    byte = code_byte(coder, byte);
    note(byte);
    history_.append(byte);
    // Before the place is remembered, or it would be found itself, which is no match.
    if (match_length_ == 0) seek();
    history_.remember();
    return byte;
  }

 private:
  static constexpr std::size_t kHashed = LiteralContext::kLightCount;
  static constexpr std::size_t kInputs = kHashed + 3;
  static constexpr std::size_t kOrder0 = kHashed, kMatch = kHashed + 1, kSource = kHashed + 2;
  static constexpr std::int32_t kFirstWeight = 65536 / 4;
  static constexpr unsigned kSlowness = 14;          // of weights
  static constexpr std::size_t kMatchStates = 6;     // classes of how long a match is
  static constexpr std::uint64_t kTrainedFirst = 32 * 1024;  // bytes, beside one for each literal …
  static constexpr std::uint64_t kTrainedMost = 128 * 1024;  // … and at most

  // Lets the slots of the contexts see a part of the source.
  void train(std::uint64_t pos) {
    const std::uint64_t most = std::min(kTrainedFirst + coded_bytes_, kTrainedMost);
    if (trained_bytes_ + LiteralHistory::kPartBytes > most) return;
    if (!history_.mark(pos)) return;
    const std::uint64_t begin = pos - pos % LiteralHistory::kPartBytes;
    const std::uint64_t end = std::min<std::uint64_t>(begin + LiteralHistory::kPartBytes, source_.size());
    trained_bytes_ += end - begin;
    std::uint32_t place = history_.place_of(begin);
    context_.reset(nullptr, 0, begin);
    for (std::uint64_t at = begin; at < end; ++at, ++place) {
      const std::uint8_t byte = history_.at(place);
      const Contexts<kHashed> hashes = context_.light_hashes();
      const unsigned high = byte >> 4;
      expect_lines(lines_, hashes, 1);
      expect_lines(lines_, hashes, 16 + high);
      for (const std::uint32_t hash : hashes) {
        show(lines_.find(hash_step(hash, 1)), high);
        show(lines_.find(hash_step(hash, 16 + high)), byte & 15u);
      }
      context_.push(byte);
    }
  }

  // A line, four bits.
  static void show(SmallSlot* slots, unsigned bits) {
    learn_small(slots[0], bits >> 3);
    learn_small(slots[1 + (bits >> 3)], bits >> 2 & 1);
    learn_small(slots[3 + (bits >> 2)], bits >> 1 & 1);
    learn_small(slots[7 + (bits >> 1)], bits & 1);
  }

  void seek() {
    const LiteralHistory::Match match = history_.find(history_.literal_place());
    match_place_ = match.place;
    match_length_ = match.length;
  }

  [[nodiscard]] std::size_t match_state() const {
    if (match_length_ < 12) return match_length_ == 0 ? 0 : match_length_ < 8 ? 1 : 2;
    return match_length_ < 16 ? 3 : match_length_ < 32 ? 4 : 5;
  }

  template <class Coder>
  std::uint8_t code_byte(Coder& coder, std::uint8_t value) {
    const LiteralByte byte{GuessedByte(match_length_ > 0 ? history_.at(match_place_) : GuessedByte::kNone),
                           source_place_.guess(history_), match_state()};
    return code_nibbles(lines_, context_.light_hashes(), value,
                        [&](const LiteralLines<kHashed>& lines, const LiteralBit& at, unsigned bit) {
                          return code_bit(coder, byte, lines, at, bit);
                        });
  }

  template <class Coder>
  unsigned code_bit(Coder& coder, const LiteralByte& byte, const LiteralLines<kHashed>& lines, const LiteralBit& at,
                    unsigned bit) {
    std::array<SmallSlot*, kInputs> slots;
    for (std::size_t i = 0; i < kHashed; ++i) slots[i] = lines[i] + at.in_line - 1;
    slots[kOrder0] = &order0_[at.node];
    slots[kMatch] = guess_slot(byte.by_match, at, &match_slots_[byte.match_state * 16]);
    slots[kSource] = guess_slot(byte.by_source, at, &source_slots_[source_place_.row() * 16]);

    const std::size_t place = slots[kMatch] ? byte.match_state : 0;
    std::int32_t* weights = &weights_[(place * kLiteralOrders + at.order) * kInputs];
    std::array<std::int32_t, kInputs> inputs;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < kInputs; ++i) {
      inputs[i] = slots[i] && count_of(*slots[i]) != 0 ? stretched(*slots[i]) : 0;
      sum += std::int64_t{inputs[i]} * weights[i];
    }
    const std::uint32_t mixed = squash(stretched_sum(sum));
    bit = coder.bit(bit, std::clamp<std::uint32_t>(mixed, 32, 65504));

    const std::int32_t error = static_cast<std::int32_t>(bit << 16) - static_cast<std::int32_t>(mixed);
    for (std::size_t i = 0; i < kInputs; ++i) {
      weights[i] = wrapped_sum(weights[i], inputs[i] * error >> kSlowness);
      if (slots[i]) learn_small(*slots[i], bit);
    }
    return bit;
  }

  // Moves on by a byte.
  void note(std::uint8_t byte) {
    context_.push(byte);
    source_place_.next(history_);
    if (match_length_ == 0) return;
    match_length_ = history_.at(match_place_) == byte ? std::min(match_length_ + 1, 65535u) : 0;
    if (++match_place_ == history_.end()) match_length_ = 0;
  }

  RandomReader& source_;
  LiteralHistory history_;
  SmallLineTable lines_;
  LiteralContext context_;
  SourcePlace source_place_;
  std::array<std::int32_t, kMatchStates * kLiteralOrders * kInputs> weights_;
  std::array<SmallSlot, 256> order0_;
  std::array<SmallSlot, kMatchStates * 16> match_slots_;
  std::array<SmallSlot, kSourceRows * 16> source_slots_;

  std::uint32_t match_place_ = 0;   // of the byte it tells
  std::uint32_t match_length_ = 0;  // bytes that agree; 0: no match
  std::uint64_t coded_bytes_ = 0;
  std::uint64_t trained_bytes_ = 0;
};

}  // namespace bdelta::mix
