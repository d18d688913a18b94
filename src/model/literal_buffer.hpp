// The bytes that literals may repeat: blocks of the source near the runs, and the latest literals themselves.
//
//   [ margin | source: block b in slot b mod slot_count | ring of literals ]
//
// A table leads from the last few bytes to where they stood last. Its entries outlive what they point to; that does
// harm to predictions only, and the same harm on both sides. Every position that it gives lies inside the array with
// kMargin bytes in front of it, so bytes are compared backwards without further checks.
#pragma once

#include <algorithm>
#include <vector>

#include "base/bytes.hpp"
#include "base/try.hpp"
#include "bdelta/io.hpp"
#include "model/literal_run.hpp"

namespace bdelta::mix {

class LiteralBuffer {
  static constexpr std::uint32_t kMargin = 32;            // bytes that find() looks back, at most
  static constexpr std::uint32_t kBlockBytes = 16 * 1024;
  static constexpr std::uint32_t kSlotCount = 24;
  static constexpr std::uint32_t kRingBegin = kMargin + kSlotCount * kBlockBytes;
  static constexpr unsigned kHeadLog = 17;
  static constexpr std::uint32_t kKeyBytes = 5;
  static constexpr std::uint64_t kBroughtFirst = 4096 * 1024;
  static constexpr std::uint64_t kBroughtShare = 16;  // bytes of source brought in for each literal, beside the first ones

  struct Slot {
    std::uint64_t block = kNoSource;
    std::uint32_t marked = 0;
  };

 public:
  static constexpr std::uint32_t kPartBytes = 4 * 1024;         // of a block, marked one by one
  static constexpr std::uint32_t kEnd = kMargin + 1024 * 1024;  // of the array
  static constexpr std::size_t kHeldBytes = kEnd + kSlotCount * sizeof(Slot) + (sizeof(std::uint32_t) << kHeadLog);

  explicit LiteralBuffer(RandomReader& source)
      : source_(source), bytes_(kEnd), slots_(kSlotCount), heads_(std::size_t{1} << kHeadLog) {}

  // Where byte `pos` of the source stands; 0 if it is not at hand.
  [[nodiscard]] std::uint32_t place_of(std::uint64_t pos) const {
    if (pos >= source_.size()) return 0;
    const std::uint64_t block = pos / kBlockBytes;
    if (slots_[slot_of(block)].block != block) return 0;
    return place_of_block(block) + static_cast<std::uint32_t>(pos % kBlockBytes);
  }

  // Brings in what of the source lies up to a part's bytes before and behind `pos`, as far as the literals so far
  // (coded_bytes of them) allow. Calls use(at) for each part that is here then. Errors are those of the source.
  template <class Use>
  Status bring_around(std::uint64_t pos, std::uint64_t coded_bytes, Use&& use) {
    const std::uint64_t from = pos < kPartBytes ? 0 : pos - kPartBytes;
    for (unsigned i = 0; i < 3; ++i) {
      const std::uint64_t at = from + i * std::uint64_t{kPartBytes};
      if (pos == kNoSource || at >= source_.size() || at > pos + kPartBytes) break;
      if (const std::uint64_t missing = missing_bytes(at); missing > 0) {
        if (brought_bytes_ + missing > kBroughtFirst + coded_bytes * kBroughtShare) break;
        brought_bytes_ += missing;
        BDELTA_TRY(bring(at));
      }
      use(at);
    }
    return {};
  }

  // Marks the part of the source around `pos`, which is here: false if it was marked since it was brought.
  bool mark(std::uint64_t pos) {
    Slot& slot = slots_[slot_of(pos / kBlockBytes)];
    const std::uint32_t bit = std::uint32_t{1} << (pos % kBlockBytes / kPartBytes);
    const bool fresh = (slot.marked & bit) == 0;
    slot.marked |= bit;
    return fresh;
  }

  [[nodiscard]] std::uint8_t at(std::uint32_t place) const { return bytes_[place]; }

  // Where the next literal will stand.
  [[nodiscard]] std::uint32_t literal_place() const { return ring_at_; }

  void append(std::uint8_t byte) {
    bytes_[ring_at_++] = byte;
    if (ring_at_ == kEnd) {
      std::copy(bytes_.end() - kMargin, bytes_.end(), bytes_.begin() + kRingBegin);
      ring_at_ = kRingBegin + kMargin;
    }
  }

  // Makes the place behind the latest literal known.
  void remember() { heads_[head_of(ring_at_)] = ring_at_; }

  // The place that follows the same bytes as `place` does, and how many those are, up to kMargin; 0 if not
  // even kKeyBytes are the same.
  struct Match {
    std::uint32_t place = 0;
    std::uint32_t length = 0;
  };
  [[nodiscard]] Match find(std::uint32_t place) const {
    const std::uint32_t head = heads_[head_of(place)];
    if (head == 0 || head == place) return {};
    std::uint32_t length = 0;
    while (length < kMargin && bytes_[head - 1 - length] == bytes_[place - 1 - length]) ++length;
    return length < kKeyBytes ? Match{} : Match{head, length};
  }

 private:
  // Bytes of the source that bringing in the block of `pos` would read; 0 if it is here or there is none.
  [[nodiscard]] std::uint64_t missing_bytes(std::uint64_t pos) const {
    if (pos >= source_.size() || place_of(pos) != 0) return 0;
    return block_bytes(pos / kBlockBytes);
  }

  Status bring(std::uint64_t pos) {
    const std::uint64_t block = pos / kBlockBytes;
    Slot& slot = slots_[slot_of(block)];
    slot = {};  // gone even if the read fails
    const std::uint32_t begin = place_of_block(block);
    const auto length = static_cast<std::uint32_t>(block_bytes(block));
    BDELTA_TRY(source_.read_at(block * kBlockBytes, MutableByteSpan(bytes_.data() + begin, length)));
    slot.block = block;
    // Every second place: a match is then found one byte later at most.
    for (std::uint32_t at = begin + kKeyBytes; at < begin + length; at += 2) heads_[head_of(at)] = at;
    return {};
  }

  [[nodiscard]] std::size_t slot_of(std::uint64_t block) const { return static_cast<std::size_t>(block % kSlotCount); }
  [[nodiscard]] std::uint32_t place_of_block(std::uint64_t block) const {
    return kMargin + static_cast<std::uint32_t>(slot_of(block)) * kBlockBytes;
  }
  [[nodiscard]] std::uint64_t block_bytes(std::uint64_t block) const {
    return std::min<std::uint64_t>(kBlockBytes, source_.size() - block * kBlockBytes);
  }
  [[nodiscard]] std::size_t head_of(std::uint32_t place) const {
    const std::uint64_t key = load_le<std::uint64_t>(bytes_.data() + place - 8) >> (64 - 8 * kKeyBytes);
    return static_cast<std::size_t>(key * 0x9e3779b97f4a7c15u >> (64 - kHeadLog));
  }

  RandomReader& source_;
  Bytes bytes_;
  std::uint32_t ring_at_ = kRingBegin;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> heads_;
  std::uint64_t brought_bytes_ = 0;
};

}  // namespace bdelta::mix
