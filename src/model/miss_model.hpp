// Which bytes of copies change and into what.
//
// Whoever decodes has the whole copy before him, so a byte is predicted from the copied bytes on both sides of it. That
// is what lists of gaps and values can't have: an opcode says that an address follows, a digit that it is one of a
// version.
//
// Nearly all bytes stay, so few have a flag of their own, which is coded under a few mixed contexts. A byte has one in
// these places:
// - in a run of changes;
// - where its neighbours are warm (miss_heat.hpp);
// - where it is *due*: the last gap between changes, or one that came in such a place before, would end again, as in
// records
//   of one length.
// All bytes up to the next of these are a stretch, and one flag says whether any of them changes. Mostly none does: the
// stretch is *unchanged*. Else a number says where. So time goes with what changes and not with what is copied.
//
// What is added is first guessed: two tables know what was added last where the bytes around and the latest value were
// the same. A guess that was right often is a flag; else the byte mixer codes the value. A number that moved by the same
// everywhere, as an index does when an entry is put in front of it, thus costs next to nothing after a while.
//
// Packer and unpacker run the same code, in integers only. MODELLED_BYTES.md, section 6, is the specification.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "base/prefetch.hpp"
#include "model/byte_mixer.hpp"
#include "model/miss_guesses.hpp"
#include "model/miss_heat.hpp"
#include "model/miss_state.hpp"
#include "model/streams.hpp"
#include "model/wide_slot.hpp"
#include "parallel/watch.hpp"

namespace bdelta::mix {

class MissModel {
 public:
  // table_log: of the slots of each table of flags.
  explicit MissModel(unsigned table_log)
      : shift_(32 - table_log), slots_(kFlagContexts << table_log, kFreshWideSlot), by_next_(table_log), by_before_(table_log),
        guess_slots_(2 * kGuessSlots, kFreshWideSlot), unchanged_slots_(128 * kUnchangedClasses, kFreshWideSlot),
        change_places_(kChangePlaceLog), values_(std::make_unique<ByteMixer>(table_log - kValueLogLess)) {
    by_gap_.fill(kFirstWeight);
    by_byte_.fill(0);
    by_heat_.fill(0);
    for (auto& weights : guess_weights_) weights.fill(kFirstGuessWeight);
  }

  // A copy: `bytes` are what it gives and become those of the target, which encoding takes from `target`. `pos` is
  // the position in the target. The watch may be null.
  template <class Coder>
  void code(Coder& coder, std::uint64_t pos, MutableByteSpan bytes, const std::uint8_t* target, Watch* watch) {
    Pace pace(watch, kStretchesPerLook);
    coder.enter(kResidualGaps);
    for (std::size_t at = 0; at < bytes.size(); pace.step(1 + static_cast<std::uint32_t>(scanned_ / kScannedPerStep))) {
      scanned_ = 0;
      if (past_.run == 0) at = pass_unchanged(coder, bytes, at, target);
      if (at == bytes.size()) return;
      const MissPlace place = place_at(bytes, at);
      const MissHeat::Entries heat = heat_.at(place);
      Slots slots;
      find_slots(pos + at, place, heat, slots);
      const bool changes = !Coder::kDecoding && bytes[at] != target[at];
      if (knows_change_ || code_flag(coder, place, heat, slots, changes)) {
        for (WideSlot* slot : slots) learn_wide(*slot, 1, kSeen);
        heat.learn(true);
        change(coder, place, bytes[at], Coder::kDecoding ? std::uint8_t{0} : target[at]);
      } else if (past_.note_hit(bytes[at])) {
        forecast_.seek(past_);
      }
      ++at;
    }
  }

  [[nodiscard]] std::uint64_t changed_count() const noexcept { return changed_count_; }

  // What a model takes.
  static constexpr std::size_t bytes_for(unsigned table_log) {
    return sizeof(MissModel) + sizeof(ByteMixer) + MissHeat::kBytes + GapForecast::kBytes +
           (2 * kGuessSlots + 128 * kUnchangedClasses) * sizeof(WideSlot) + (sizeof(Line) << kChangePlaceLog) +
           ((kFlagContexts * sizeof(WideSlot) + 2 * sizeof(ValueGuesses::Entry)) << table_log) +
           (sizeof(SmallLine) << (table_log - kValueLogLess));
  }

 private:
  static constexpr std::size_t kFlagContexts = 8;
  static constexpr unsigned kValueLogLess = 2;  // lines of values are fewer than slots by so many halvings
  static constexpr std::size_t kGuessSlots = 4096;
  static constexpr std::size_t kUnchangedClasses = 16;
  static constexpr unsigned kChangePlaceLog = 8;
  static constexpr std::uint32_t kStretchesPerLook = 4096;
  static constexpr std::size_t kScannedPerStep = 4096;  // bytes that take as long as a stretch
  static constexpr unsigned kSeen = 127;
  static constexpr unsigned kLeastCount = 6;  // of a guess that is asked about
  static constexpr std::uint64_t kEarlyFlags = 4096;
  static constexpr std::int32_t kFirstWeight = 65536 * 30 / 100;
  static constexpr std::int32_t kFirstGuessWeight = 65536 * 40 / 100;
  using Slots = std::array<WideSlot*, kFlagContexts>;

  [[nodiscard]] MissPlace place_at(ByteSpan bytes, std::size_t at) const {
    MissPlace place{0, past_.behind};
    for (std::size_t i = at; i < at + 4; ++i) place.ahead = place.ahead << 8 | (i < bytes.size() ? bytes[i] : 0u);
    return place;
  }

  static std::int32_t stretched(WideSlot slot) { return (slot & 1023) == 0 ? 0 : kTables.stretch[slot >> 20]; }

  // Behind the stretch that begins here if it is unchanged, else at the byte of it that changes: knows_change_ says
  // which.
  template <class Coder>
  std::size_t pass_unchanged(Coder& coder, ByteSpan bytes, std::size_t at, const std::uint8_t* target) {
    const std::uint64_t due = forecast_.distance(past_.gap, past_.gaps[0]);
    const std::size_t end = at + static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size() - at, due));
    const std::size_t length = heat_.cool_length(bytes, at, end, past_.behind);
    knows_change_ = false;
    scanned_ = length;
    if (length == 0) return at;
    std::size_t hits = Coder::kDecoding ? length : count_equal(bytes.data() + at, target + at, length);
    const unsigned length_class = class_of(length);
    const auto since = std::min(static_cast<std::size_t>(std::bit_width(unchanged_bytes_)) / 2, kUnchangedClasses - 1);
    WideSlot& slot = unchanged_slots_[length_class * kUnchangedClasses + since];
    knows_change_ = coder.bit(hits < length ? 1 : 0, std::clamp<std::uint32_t>(slot >> 16, 1, 65535)) != 0;
    learn_wide(slot, knows_change_ ? 1 : 0, 255);
    if (knows_change_) {
      hits = static_cast<std::size_t>(change_places_.code(
          coder, hits, {hash_of(1, length_class), hash_of(2, length_class, class_of(past_.gap))}));
      hits = std::min(hits, length - 1);  // of what no encoder writes, something
    }
    unchanged_bytes_ = knows_change_ ? 0 : unchanged_bytes_ + hits;
    if (hits > 0) past_.note_hits(bytes.subspan(at, hits));
    return at + hits;
  }

  void find_slots(std::uint64_t pos, const MissPlace& place, const MissHeat::Entries& heat, Slots& slots) {
    const std::uint32_t gap = std::min(past_.short_gap(), 4095u);
    const auto align = static_cast<std::uint32_t>(pos & 3);
    const std::uint32_t recent = past_.changes & 15;
    const Contexts<kFlagContexts> hashes = {
        hash_of(1, place.byte(), place.before(), recent),
        hash_of(2, place.ahead, recent & 1),
        hash_of(3, static_cast<std::uint32_t>(*heat.pair >> 4), static_cast<std::uint32_t>(*heat.triple >> 4),
                static_cast<std::uint32_t>(*heat.next >> 5), static_cast<std::uint32_t>(*heat.before >> 5)),
        hash_of(4, gap, past_.run_before, past_.gaps[0]),
        hash_of(5, gap, align, past_.values & 0xffff),
        hash_of(6, past_.changes & 0xffff, align),
        hash_of(7, std::min(gap, 40u), place.byte(), past_.values & 0xff),
        hash_of(8, place.byte(), place.behind & 0xffff)};
    for (std::size_t i = 0; i < kFlagContexts; ++i) {
      slots[i] = &slots_[(i << (32 - shift_)) + (hashes[i] * 0x2c1b3c6du >> shift_)];
      prefetch_line(slots[i]);
    }
  }

  template <class Coder>
  bool code_flag(Coder& coder, const MissPlace& place, const MissHeat::Entries& heat, const Slots& slots, bool changes) {
    constexpr std::size_t kInputs = kFlagContexts + 1;
    const std::array<std::int32_t*, 3> weights = {
        &by_gap_[(past_.gap_class() * 4 + std::min(past_.run_before, 3u)) * kInputs], &by_byte_[place.byte() * kInputs],
        &by_heat_[heat.heat_class() * kInputs]};
    std::array<std::int32_t, kInputs> inputs;
    for (std::size_t i = 0; i < kFlagContexts; ++i) inputs[i] = stretched(*slots[i]);
    inputs[kFlagContexts] = -256;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < kInputs; ++i) {
      sum += std::int64_t{inputs[i]} * (std::int64_t{weights[0][i]} + weights[1][i] + weights[2][i]);
    }
    const std::uint32_t mixed = squash(stretched_sum(sum));
    const unsigned missed = coder.bit(changes ? 1 : 0, std::clamp<std::uint32_t>(mixed, 16, 65520));
    const std::int32_t error = static_cast<std::int32_t>(missed << 16) - static_cast<std::int32_t>(mixed);
    const unsigned slowness = coded_flags_++ < kEarlyFlags ? 14 : 15;
    for (std::size_t i = 0; i < kInputs; ++i) {
      const auto step = static_cast<std::int32_t>(std::int64_t{inputs[i]} * error >> slowness);
      for (std::int32_t* set : weights) set[i] = wrapped_sum(set[i], step);
    }
    if (missed != 0) return true;  // slots and heat learn as where there is no flag
    for (WideSlot* slot : slots) learn_wide(*slot, 0, kSeen);
    heat.learn(false);
    return false;
  }

  // A byte that changes, told or not.
  template <class Coder>
  void change(Coder& coder, const MissPlace& place, std::uint8_t& byte, std::uint8_t wanted) {
    knows_change_ = false;
    past_.begin_miss();
    if (past_.run == 0) forecast_.learn(past_.gaps[0]);
    coder.enter(kResidualValues);
    const std::uint8_t added = code_value(coder, place, static_cast<std::uint8_t>(wanted - byte));
    coder.enter(kResidualGaps);
    past_.end_miss(byte, added);
    byte = static_cast<std::uint8_t>(byte + added);
    ++changed_count_;
  }

  template <class Coder>
  std::uint8_t code_value(Coder& coder, const MissPlace& place, std::uint8_t added) {
    const std::uint32_t latest = past_.values & 0xff;
    ValueGuesses::Entry& by_next =
        by_next_.at(hash_of(1, place.byte(), place.next(), past_.in_run() & 0xff, past_.place()));
    ValueGuesses::Entry& by_before = by_before_.at(hash_of(2, place.byte(), place.next(), place.before(), latest));
    const bool second = by_before.count > by_next.count;
    const std::uint8_t guess = second ? by_before.value : by_next.value;
    bool guessed = false;
    if (std::max(by_next.count, by_before.count) >= kLeastCount) {
      guessed = code_guess(coder, place, by_next, by_before, second, added == guess);
      if (guessed) added = guess;
    }
    if (!guessed) added = mix_value(coder, place, added);
    ValueGuesses::learn(by_next, added);
    ValueGuesses::learn(by_before, added);
    return added;
  }

  // Whether the better guess is right.
  template <class Coder>
  bool code_guess(Coder& coder, const MissPlace& place, const ValueGuesses::Entry& by_next,
                  const ValueGuesses::Entry& by_before, bool second, bool right) {
    const bool agree = by_next.value == by_before.value;
    const std::uint32_t kind = (second ? 2u : 0u) + (agree ? 1u : 0u);
    const std::uint32_t guess = second ? by_before.value : by_next.value;
    const std::array<WideSlot*, 2> slots = {
        &guess_slots_[kind * 256 + std::min<std::uint32_t>(by_next.count, 15) * 16 +
                      std::min<std::uint32_t>(by_before.count, 15)],
        &guess_slots_[kGuessSlots + (hash_of(guess, place.byte(), past_.place()) >> 20)]};
    std::array<std::int32_t, 2>& weights = guess_weights_[kind];
    const std::array<std::int32_t, 2> inputs = {stretched(*slots[0]), stretched(*slots[1])};
    const std::int64_t sum =
        std::int64_t{inputs[0]} * weights[0] + std::int64_t{inputs[1]} * weights[1];
    const std::uint32_t mixed = squash(stretched_sum(sum));
    const unsigned bit = coder.bit(right ? 1 : 0, std::clamp<std::uint32_t>(mixed, 16, 65520));
    const std::int32_t error = static_cast<std::int32_t>(bit << 16) - static_cast<std::int32_t>(mixed);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      weights[i] = wrapped_sum(weights[i], static_cast<std::int32_t>(std::int64_t{inputs[i]} * error >> 14));
      learn_wide(*slots[i], bit, kSeen);
    }
    return bit != 0;
  }

  template <class Coder>
  std::uint8_t mix_value(Coder& coder, const MissPlace& at, std::uint8_t added) {
    const std::uint32_t place = past_.place();
    const std::uint32_t in_run = past_.in_run();
    const std::uint32_t now = at.byte();
    const Contexts<kValueContexts> contexts = {
        hash_of(1, place, past_.values & 0xffffff),
        hash_of(2, place, now),
        hash_of(3, now, at.before(), in_run),
        hash_of(4, at.ahead),
        hash_of(5, past_.gaps[0], place, in_run),
        hash_of(6, past_.first, place, in_run),
        hash_of(7, now, at.next(), in_run & 0xff, place),
        hash_of(8, past_.after & 0xffff),
        hash_of(9, past_.after & 0xff, at.next())};
    return values_->code(coder, static_cast<std::uint8_t>(now), added, contexts, place, past_.values & 0xff);
  }

  const unsigned shift_;
  std::vector<WideSlot> slots_;
  MissHeat heat_;
  GapForecast forecast_;
  ValueGuesses by_next_;
  ValueGuesses by_before_;
  std::vector<WideSlot> guess_slots_;
  std::array<std::array<std::int32_t, 2>, 4> guess_weights_;
  std::vector<WideSlot> unchanged_slots_;
  NumberModel<2> change_places_;
  std::unique_ptr<ByteMixer> values_;
  std::array<std::int32_t, MissState::kGapClasses * 4 * (kFlagContexts + 1)> by_gap_;
  std::array<std::int32_t, 256 * (kFlagContexts + 1)> by_byte_;
  std::array<std::int32_t, 64 * (kFlagContexts + 1)> by_heat_;

  MissState past_;
  std::uint64_t unchanged_bytes_ = 0;  // of unchanged stretches since one changed
  bool knows_change_ = false;          // the byte at hand is the one of a stretch that changes
  std::size_t scanned_ = 0;            // for the last stretch, passed or not
  std::uint64_t coded_flags_ = 0;
  std::uint64_t changed_count_ = 0;
};

}  // namespace bdelta::mix
