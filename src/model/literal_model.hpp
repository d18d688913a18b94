// Literals predicted bit by bit from what stands before them in the target and from the source near by.
//
// Literals are what no copy brings, so little in them repeats at length. But they are written in the language of the
// files: the words, opcodes and tables that stand around them in the source. Three things make use of that:
//
// - Contexts are the bytes before in the target, copied ones too. A run of three bytes is predicted from the text it
//   stands in, not from the run before it.
// - Training: before a run, the slots see parts of the source on both sides of it, without any mixing. A few literals
//   suffice to learn weights, and the vocabulary of a file takes more. It takes time, so its bytes are limited by those of
//   the literals so far.
// - Matches: the latest place that follows the same five bytes or more, in the source near by or among the literals, gives
//   the byte that came there. So does the source where the copy before the run would have gone on. Both together are a
//   context as well: what takes the place of what.
//
// A byte is coded as two nibbles. For each of them and each context a line of 15 slots is found by hash: 12 bits of
// probability, 4 bits of how often it was used. A line knows 16 bits of its hash; of two lines that a context may take, a
// new one gets that which was used less. What slots mean is learned. They are mixed once, as in mixing.hpp, with weights
// chosen by what is known at the place and by the bits so far. Then the outcome is corrected. So a patch with some hundred
// bytes of new text is small and still applied within milliseconds.
//
// Packer and unpacker run the same code, in integers only. MODELLED_BYTES.md, section 5, is the specification.
#pragma once

#include "model/literal_context.hpp"
#include "model/literal_buffer.hpp"
#include "model/outcomes.hpp"
#include "model/small_lines.hpp"

namespace bdelta::mix {

class LiteralModel {
  static constexpr unsigned kLineLog = 16;

 public:
  explicit LiteralModel(RandomReader& source) : source_(source), buffer_(source), lines_(kLineLog) {
    weights_.fill(kFirstWeight);
    weights_by_node_.fill(0);
    order0_.fill(kFreshSlot);
    match_slots_.fill(kFreshSlot);
    source_slots_.fill(kFreshSlot);
  }

  // What a model takes, but for its own object.
  static constexpr std::size_t kHeldBytes = LiteralBuffer::kHeldBytes + (sizeof(SmallLine) << kLineLog);

  // Before the bytes of a run. Errors are those of the source.
  Status begin(const LiteralRun& run) {
    coded_bytes_ += run.length;
    const auto train_at = [this](std::uint64_t at) { train(at); };
    BDELTA_TRY(buffer_.bring_around(run.source_before, coded_bytes_, train_at));
    BDELTA_TRY(buffer_.bring_around(run.source_after, coded_bytes_, train_at));
    const auto known = static_cast<std::size_t>(std::min<std::uint64_t>(run.target_pos, run.before.size()));
    const ByteSpan before = ByteSpan(run.before).last(known);
    context_.reset(before);
    for (const std::uint8_t byte : before) buffer_.append(byte);
    seek();
    source_place_ = buffer_.place_of(run.source_before);
    in_run_ = 0;
    pos_ = run.target_pos;
    return {};
  }

  // The next byte of the run: see range_coder.hpp for what goes in and comes back.
  template <class Coder>
  std::uint8_t code(Coder& coder, std::uint8_t byte) {
    byte = code_byte(coder, byte);
    note(byte);
    buffer_.append(byte);
    // Before the place is remembered, or it would be found itself, which is no match.
    if (match_length_ == 0) seek();
    buffer_.remember();
    return byte;
  }

 private:
  static constexpr std::size_t kTrained = LiteralContext::kCount;
  static constexpr std::size_t kHashed = kTrained + 1;  // with what both guesses say
  static constexpr std::size_t kInputs = kHashed + 3;
  static constexpr std::size_t kOrder0 = kHashed, kMatch = kHashed + 1, kSource = kHashed + 2;
  static constexpr std::int32_t kFirstWeight = 65536 / 5;
  static constexpr std::uint64_t kEarlyBits = 4096;  // while weights move twice as fast
  static constexpr unsigned kMeaningSlowness = 7;
  static constexpr std::size_t kMatchStates = 6;     // classes of how long a match is
  static constexpr std::size_t kOrders = 5;
  static constexpr std::size_t kSourceRows = 4;      // by how far the run has come
  static constexpr std::uint64_t kTrainedFirst = 32 * 1024;  // bytes, beside one for each literal …
  static constexpr std::uint64_t kTrainedMost = 128 * 1024;  // … and at most

  using Lines = std::array<SmallSlot*, kHashed>;

  // What is known of a byte before its bits.
  struct Guesses {
    GuessedByte by_match;
    GuessedByte by_source;
    std::size_t match_state;  // the class of the match at hand
  };

  // Where a bit stands in its byte.
  struct Place {
    unsigned in_line;   // node of the nibble's tree
    unsigned node;      // node of the byte's tree
    unsigned left;      // bits to come, this one counted
    std::size_t order;  // the longest of the first contexts that came up before
  };

  // All at once, as each is a wait.
  template <std::size_t kCount>
  void expect_lines(const Contexts<kCount>& hashes, unsigned node) {
    for (const std::uint32_t hash : hashes) lines_.expect(hash_join(hash, node));
  }

  // Lets the slots of the contexts see a part of the source.
  void train(std::uint64_t pos) {
    const std::uint64_t most = std::min(kTrainedFirst + coded_bytes_, kTrainedMost);
    if (trained_bytes_ + LiteralBuffer::kPartBytes > most) return;
    if (!buffer_.mark(pos)) return;
    const std::uint64_t begin = pos - pos % LiteralBuffer::kPartBytes;
    const std::uint64_t end = std::min<std::uint64_t>(begin + LiteralBuffer::kPartBytes, source_.size());
    trained_bytes_ += end - begin;
    std::uint32_t place = buffer_.place_of(begin);
    context_.reset({});
    for (std::uint64_t at = begin; at < end; ++at, ++place) {
      const std::uint8_t byte = buffer_.at(place);
      const Contexts<kTrained> hashes = context_.hashes(at);
      const unsigned high = byte >> 4;
      expect_lines(hashes, 1);
      expect_lines(hashes, 16 + high);
      for (const std::uint32_t hash : hashes) {
        show(lines_.find(hash_join(hash, 1)), high);
        show(lines_.find(hash_join(hash, 16 + high)), byte & 15u);
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
    const LiteralBuffer::Match match = buffer_.find(buffer_.literal_place());
    match_place_ = match.place;
    match_length_ = match.length;
  }

  [[nodiscard]] std::size_t match_state() const {
    if (match_length_ < 12) return match_length_ == 0 ? 0 : match_length_ < 8 ? 1 : 2;
    return match_length_ < 16 ? 3 : match_length_ < 32 ? 4 : 5;
  }

  [[nodiscard]] GuessedByte guess_at(bool known, std::uint32_t place) const {
    return GuessedByte(known ? buffer_.at(place) : GuessedByte::kNone);
  }

  [[nodiscard]] Contexts<kHashed> hashes_beside(const Guesses& guesses) const {
    const Contexts<kTrained> trained = context_.hashes(pos_);
    Contexts<kHashed> hashes;
    std::copy(trained.begin(), trained.end(), hashes.begin());
    hashes[kTrained] = hash_of(10, guesses.by_source.value(), guesses.by_match.value());
    return hashes;
  }

  // As two nibbles.
  template <class Coder>
  std::uint8_t code_byte(Coder& coder, std::uint8_t value) {
    const Guesses guesses{guess_at(match_length_ > 0, match_place_), guess_at(source_place_ > 0, source_place_),
                          match_state()};
    const Contexts<kHashed> hashes = hashes_beside(guesses);
    Place at{1, 1, 8, 0};
    while (at.left > 0) {
      expect_lines(hashes, at.node);
      Lines lines;
      for (std::size_t i = 0; i < kHashed; ++i) lines[i] = lines_.find(hash_join(hashes[i], at.node));
      at.order = 0;
      for (std::size_t i = 1; i < kOrders; ++i) at.order = count_of(lines[i][0]) != 0 ? i : at.order;
      for (at.in_line = 1; at.in_line < 16; --at.left) {
        const unsigned bit = code_bit(coder, guesses, lines, at, value >> (at.left - 1) & 1);
        at.in_line = at.in_line * 2 + bit;
        at.node = at.node * 2 + bit;
      }
    }
    return static_cast<std::uint8_t>(at.node);
  }

  // A slot that a guessing place speaks through, while the bits so far agree with its guess; else null.
  static SmallSlot* guess_slot(const GuessedByte& guess, const Place& at, SmallSlot* slots) {
    return guess.agrees(at.node, at.left) ? slots + guess.bit(at.left) * 8 + at.left - 1 : nullptr;
  }

  template <class Coder>
  unsigned code_bit(Coder& coder, const Guesses& guesses, const Lines& lines, const Place& at, unsigned bit) {
    std::array<SmallSlot*, kInputs> slots;
    for (std::size_t i = 0; i < kHashed; ++i) slots[i] = lines[i] + at.in_line - 1;
    slots[kOrder0] = &order0_[at.node];
    slots[kMatch] = guess_slot(guesses.by_match, at, &match_slots_[guesses.match_state * 16]);
    slots[kSource] = guess_slot(guesses.by_source, at, &source_slots_[std::min<std::size_t>(in_run_, kSourceRows - 1) * 16]);

    const std::size_t state = slots[kMatch] ? guesses.match_state : 0;
    std::int32_t* weights = &weights_[(state * kOrders + at.order) * kInputs];
    std::int32_t* by_node = &weights_by_node_[at.node * kInputs];
    std::array<std::uint16_t*, kHashed> meanings;
    std::array<std::int32_t, kInputs> inputs;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < kInputs; ++i) {
      inputs[i] = 0;
      if (i < kHashed) {
        meanings[i] = meanings_.of(i, *slots[i]);
        if (count_of(*slots[i]) != 0) inputs[i] = kTables.stretch[*meanings[i] >> 4];
      } else if (slots[i] && count_of(*slots[i]) != 0) {
        inputs[i] = stretched(*slots[i]);
      }
      sum += std::int64_t{inputs[i]} * (std::int64_t{weights[i]} + by_node[i]);
    }
    const int x = stretched_sum(sum);
    const std::uint32_t mixed = squash(x);
    const auto near = corrections_.around(at.node, x);
    bit = coder.bit(bit, std::clamp<std::uint32_t>((mixed + near.corrected()) / 2, 32, 65504));

    const std::int32_t error = static_cast<std::int32_t>(bit << 16) - static_cast<std::int32_t>(mixed);
    const unsigned slowness = coded_bits_++ < kEarlyBits ? 14 : 15;
    for (std::size_t i = 0; i < kInputs; ++i) {
      const std::int32_t change = inputs[i] * error >> slowness;
      weights[i] = wrapped_sum(weights[i], change);
      by_node[i] = wrapped_sum(by_node[i], change);
      if (i < kHashed) move_to(*meanings[i], bit, kMeaningSlowness);
      if (slots[i]) learn_small(*slots[i], bit);
    }
    near.learn(bit);
    return bit;
  }

  // Moves on by a byte.
  void note(std::uint8_t byte) {
    context_.push(byte);
    ++in_run_;
    ++pos_;
    if (source_place_ > 0 && ++source_place_ == LiteralBuffer::kEnd) source_place_ = 0;
    if (match_length_ == 0) return;
    match_length_ = buffer_.at(match_place_) == byte ? std::min(match_length_ + 1, 65535u) : 0;
    if (++match_place_ == LiteralBuffer::kEnd) match_length_ = 0;
  }

  RandomReader& source_;
  LiteralBuffer buffer_;
  SmallLineTable lines_;
  LiteralContext context_;
  std::array<std::int32_t, kMatchStates * kOrders * kInputs> weights_;
  std::array<std::int32_t, 256 * kInputs> weights_by_node_;
  Meanings<kHashed> meanings_;
  Corrections<256> corrections_;
  std::array<SmallSlot, 256> order0_;
  std::array<SmallSlot, kMatchStates * 16> match_slots_;
  std::array<SmallSlot, kSourceRows * 16> source_slots_;

  std::uint32_t source_place_ = 0;  // where the copy before the run would have gone on; 0: not at hand
  std::uint64_t pos_ = 0;           // in the target, of the byte that comes
  std::uint32_t in_run_ = 0;
  std::uint32_t match_place_ = 0;   // of the byte it tells
  std::uint32_t match_length_ = 0;  // bytes that agree; 0: no match
  std::uint64_t coded_bytes_ = 0;
  std::uint64_t coded_bits_ = 0;
  std::uint64_t trained_bytes_ = 0;
};

}  // namespace bdelta::mix
