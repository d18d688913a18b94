// Which bytes of copies change, and into what: each copied byte is told to be right or not, with the probability that
// the copied bytes around it and the changes so far give; those that are not are followed by what is added to them.
//
// Whoever decodes has the whole copy before him, so a byte is predicted from the copied bytes on both sides of it. That
// is what lists of gaps and values can't have: an opcode says that an address follows, a digit that it is one of a
// version. Contexts are single bytes and up to four neighbours, how far the last changes lie back and what they were.
//
// Most bytes are right, so their model has to be quick and to go near certainty: slots hold a probability of 22 bits and
// count up to 255 bits, and what is mixed of them is corrected twice, by how such outcomes did before. How what is added
// is coded, byte_mixer.hpp tells.
//
// Packer and unpacker run the same code, in integers only: the same bytes from any build.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "base/bytes.hpp"
#include "base/prefetch.hpp"
#include "model/byte_mixer.hpp"
#include "model/miss_history.hpp"
#include "model/miss_scope.hpp"
#include "model/wide_slot.hpp"
#include "parallel/watch.hpp"

namespace bdelta::mix {

class MissModel {
 public:
  explicit MissModel(const MissScope& scope)
      : shift_(32 - scope.table_log), slots_(kFlagContexts << scope.table_log, kFreshWideSlot),
        values_(std::make_unique<ByteMixer<kValueContexts, kAddedContexts>>(scope.table_log - kValueLogLess)) {
    weights_by_gap_.fill(65536 * 30 / 100);
    weights_by_byte_.fill(0);
  }

  // Beside its tables, at most.
  static constexpr std::size_t kFixedBytes = sizeof(ByteMixer<kMissValueContexts, 12>) + 256 * 1024;

  // A copy: `bytes` are what it gives and become those of the target, which encoding takes from `target`. `pos` is
  // the position in the target.
  template <class Coder>
  void code(Coder& coder, std::uint64_t pos, MutableByteSpan bytes, const std::uint8_t* target, Watch* watch) {
    Pace pace(watch, kBytesPerLook);
    ahead_ = 0;
    for (std::size_t i = 0; i < 4; ++i) ahead_ = ahead_ << 8 | (i < bytes.size() ? bytes[i] : 0u);
    coder.enter(kResidualGaps);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if constexpr (Coder::kDecoding) {
        bytes[i] = code_byte(coder, pos + i, bytes[i], 0);
      } else {
        bytes[i] = code_byte(coder, pos + i, bytes[i], target[i]);
      }
      changed_count_ += past_.changes & 1;
      ahead_ = ahead_ << 8 | (i + 4 < bytes.size() ? bytes[i + 4] : 0u);
      pace.step();
    }
  }

  [[nodiscard]] std::uint64_t changed_count() const noexcept { return changed_count_; }

 private:
  static constexpr std::size_t kFlagContexts = kMissFlagContexts;
  static constexpr std::size_t kValueContexts = kMissValueContexts;
  static constexpr std::size_t kAddedContexts = 12;
  static constexpr std::uint32_t kBytesPerLook = 16384;
  static constexpr unsigned kSeen = 255;
  static constexpr std::uint64_t kEarlyFlags = 4096;
  static constexpr std::size_t kCorrections = 1024;

  template <class Coder>
  std::uint8_t code_byte(Coder& coder, std::uint64_t pos, std::uint8_t copied, std::uint8_t wanted) {
    if (code_flag(coder, pos, copied, copied != wanted ? 1 : 0) == 0) {
      past_.note_hit(copied);
      return copied;
    }
    past_.begin_miss();
    coder.enter(kResidualValues);
    const auto added = code_value(coder, copied, static_cast<std::uint8_t>(wanted - copied));
    coder.enter(kResidualGaps);
    past_.end_miss(copied, added);
    return static_cast<std::uint8_t>(copied + added);
  }

  // Weights move fast at first.
  static unsigned slowness_of(std::uint64_t coded) {
    return coded < kEarlyFlags ? 14 : coded < 8 * kEarlyFlags ? 15 : 16;
  }

  struct Flag {
    std::array<WideSlot*, kFlagContexts> slots;
    std::array<std::int32_t, kFlagContexts + 1> stretched;
  };

  void find_flag_slots(std::uint64_t pos, std::uint8_t copied, Flag& flag) {
    const std::uint32_t back = past_.behind;
    const auto gap = static_cast<std::uint32_t>(std::min<std::uint64_t>(past_.gap, 4095));
    const std::uint32_t now = copied;
    const std::uint32_t made = past_.after;
    const auto align = static_cast<std::uint32_t>(pos & 3);
    const std::uint32_t recent = past_.changes & 15;
    const auto& gaps = past_.gaps;
    const std::array<std::uint32_t, kFlagContexts> hashes = {
        hash_of(1, now, back & 0xff, recent),
        hash_of(2, now, back & 0xffffff),
        hash_of(3, ahead_, recent & 1),
        hash_of(4, now, back & 0xffff, ahead_ & 0xff0000),
        hash_of(5, now, back & 0xff, ahead_ & 0xffff00, recent & 1),
        hash_of(6, gap, past_.run_before, gaps[0]),
        hash_of(7, gap, align, past_.values & 0xffff),
        hash_of(8, past_.changes & 0xffff, align),
        hash_of(9, made & 0xffff, now, recent),
        hash_of(10, gap, gaps[0], gaps[1], gaps[2]),
        hash_of(11, ahead_, back),
        hash_of(12, std::min(gap, 40u), now, past_.values & 0xff),
        hash_of(13, made, now),
        hash_of(14, made & 0xff, ahead_ & 0xffff0000, recent)};
    for (std::size_t i = 0; i < kFlagContexts; ++i) {
      flag.slots[i] = &slots_[(i << (32 - shift_)) + (hashes[i] * 0x2c1b3c6du >> shift_)];
      prefetch_line(flag.slots[i]);
    }
  }

  template <class Coder>
  unsigned code_flag(Coder& coder, std::uint64_t pos, std::uint8_t copied, unsigned missed) {
    Flag flag;
    find_flag_slots(pos, copied, flag);
    std::int32_t* by_gap = &weights_by_gap_[(past_.gap_class() * 4 + std::min(past_.run_before, 3u)) * (kFlagContexts + 1)];
    std::int32_t* by_byte = &weights_by_byte_[copied * (kFlagContexts + 1)];
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < kFlagContexts; ++i) {
      const WideSlot slot = *flag.slots[i];
      flag.stretched[i] = (slot & 1023) == 0 ? 0 : kTables.stretch[slot >> 20];
      sum += std::int64_t{flag.stretched[i]} * (std::int64_t{by_gap[i]} + by_byte[i]);
    }
    flag.stretched[kFlagContexts] = -256;
    sum += std::int64_t{-256} * (std::int64_t{by_gap[kFlagContexts]} + by_byte[kFlagContexts]);
    const int x = stretched_sum(sum);
    const std::uint32_t mixed = squash(x);
    const auto near = near_.around(hash_of(copied, past_.behind & 0xff) >> 22, x);
    const auto wide = wide_.around(past_.gap_class() * 64 + std::min(past_.gaps[0], 63u), x);
    const std::uint32_t one =
        std::clamp<std::uint32_t>((3 * mixed + 2 * near.corrected() + 3 * wide.corrected()) / 8, 1, 65535);
    missed = coder.bit(missed, one);

    const std::int32_t error = static_cast<std::int32_t>(missed << 16) - static_cast<std::int32_t>(mixed);
    const unsigned slowness = slowness_of(coded_flags_++);
    for (std::size_t i = 0; i <= kFlagContexts; ++i) {
      const auto change = static_cast<std::int32_t>(std::int64_t{flag.stretched[i]} * error >> slowness);
      by_gap[i] = wrapped_sum(by_gap[i], change);
      by_byte[i] = wrapped_sum(by_byte[i], change);
    }
    for (WideSlot* slot : flag.slots) learn_wide(*slot, missed, kSeen);
    near.learn_nearer(missed);
    wide.learn_nearer(missed);
    return missed;
  }

  template <class Coder>
  std::uint8_t code_value(Coder& coder, std::uint8_t copied, std::uint8_t added) {
    const std::uint32_t place = past_.place();
    const std::uint32_t in_run = past_.in_run();
    const std::uint32_t now = copied;
    const std::uint32_t back = past_.behind;
    const std::uint32_t made = past_.after;
    const Contexts<kValueContexts> contexts = {
        hash_of(1, place, past_.values & 0xff),
        hash_of(2, place, past_.values & 0xffff),
        hash_of(3, place, past_.values & 0xffffff),
        hash_of(4, past_.values),
        hash_of(5, place, now),
        hash_of(6, now, back & 0xff, in_run),
        hash_of(7, ahead_),
        hash_of(8, now, back & 0xffffff),
        hash_of(9, past_.gaps[0], place, in_run),
        hash_of(10, past_.first, place, in_run),
        hash_of(11, now, made & 0xffff),
        hash_of(12, now, ahead_ & 0xff0000, in_run & 0xff, place),
        hash_of(13, made & 0xff),
        hash_of(14, made & 0xffff),
        hash_of(15, made & 0xffffff),
        hash_of(16, made),
        hash_of(17, made & 0xff, ahead_ & 0xff0000)};
    return values_->code(coder, copied, added, contexts, place, past_.values & 0xff);
  }

  const unsigned shift_;
  std::vector<WideSlot> slots_;
  std::unique_ptr<ByteMixer<kValueContexts, kAddedContexts>> values_;
  std::array<std::int32_t, MissHistory::kGapClasses * 4 * (kFlagContexts + 1)> weights_by_gap_;
  std::array<std::int32_t, 256 * (kFlagContexts + 1)> weights_by_byte_;
  Corrections<kCorrections> near_;
  Corrections<kCorrections> wide_;

  std::uint32_t ahead_ = 0;    // the copied byte at hand and three more, the first in the high byte
  MissHistory past_;
  std::uint64_t coded_flags_ = 0;
  std::uint64_t changed_count_ = 0;  // bytes of all copies so far
};

}  // namespace bdelta::mix
