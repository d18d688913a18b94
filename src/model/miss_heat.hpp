// Where copied bytes use to change: what lets the model of misses pass over the others in about a nanosecond each,
// or three where the processor lacks AVX2.
//
// Four tables hold a heat for what a byte and its neighbours are. They hold the byte with the one before it, with the two
// before it, with the one on either side, and with the three behind it. A change heats these entries much, a byte that was
// asked about and stayed cools them by a quarter. A byte with a hot entry is *warm* and asked about; of the others hardly
// one in a thousand changes. As heat follows from the bytes alone, packer and unpacker agree on it without a word.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "base/bytes.hpp"
#include "model/heat_tables.hpp"

namespace bdelta::mix {

// A copied byte and its neighbours as copied: 0 behind the end of the copy.
struct MissPlace {
  std::uint32_t ahead;   // the byte and the next three of the copy, the first highest
  std::uint32_t behind;  // the last four before it, the latest lowest

  [[nodiscard]] std::uint32_t byte() const { return ahead >> 24; }
  [[nodiscard]] std::uint32_t before() const { return behind & 0xff; }
  [[nodiscard]] std::uint32_t next() const { return ahead & 0xff0000; }
};

class MissHeat {
 public:
  // With a scan or, if that is null, byte by byte: the result is the same.
  explicit MissHeat(ColdScan scan = best_cold_scan()) : tables_(std::make_unique<HeatTables>()), scan_(scan) {}

  static constexpr std::size_t kBytes = sizeof(HeatTables);

  // The entries of a byte.
  struct Entries {
    std::uint8_t* pair;
    std::uint8_t* before;
    std::uint8_t* triple;
    std::uint8_t* next;

    [[nodiscard]] bool warm() const { return std::max({*pair, *before, *triple, *next}) >= kWarmHeat; }
    // One of 64 classes, for choosing weights.
    [[nodiscard]] std::size_t heat_class() const {
      return static_cast<std::size_t>(*pair >> 6) * 16 + static_cast<std::size_t>(*triple >> 6) * 4 + (*next >> 6);
    }
    void learn(bool changed) const {
      for (std::uint8_t* heat : {pair, before, triple, next}) {
        if (changed) {
          *heat = static_cast<std::uint8_t>(std::min(255, *heat + kChange));
        } else if (*heat > 0) {
          *heat = static_cast<std::uint8_t>(*heat - std::max(1, *heat >> 2));
        }
      }
    }
  };
  [[nodiscard]] Entries at(const MissPlace& place) const {
    const std::uint32_t pair = place.before() << 8 | place.byte();
    const std::uint32_t before = heat_index((place.behind & 0xffff) << 8 | place.byte());
    const std::uint32_t triple = heat_index(pair << 8 | place.next() >> 16);
    return {tables_->pair(pair), tables_->before(before), tables_->triple(triple), tables_->next(heat_index(place.ahead))};
  }

  // How many bytes from `begin` on are not warm, up to `end`; behind is the four bytes in front of begin.
  [[nodiscard]] std::size_t cool_length(ByteSpan copy, std::size_t begin, std::size_t end, std::uint32_t behind) const {
    if (scan_ == nullptr || end - begin < kLeastScanned) return first_warm(copy, begin, end, behind) - begin;
    const std::size_t scanned_from = begin + kFirstSteps;
    std::size_t at = first_warm(copy, begin, scanned_from, behind);
    if (at < scanned_from) return at - begin;
    // What was passed over stays as it was copied, so from here on `copy` has what stands in front.
    const std::size_t most = std::min(end, copy.size() - kColdScanAhead);
    if (at < most) at += scan_(*tables_, copy.data() + at, most - at);
    std::uint32_t in_front = 0;
    for (std::size_t i = at - 4; i < at; ++i) in_front = in_front << 8 | copy[i];
    return first_warm(copy, at, end, in_front) - begin;
  }

 private:
  static constexpr int kChange = 80;
  static constexpr std::size_t kFirstSteps = 8;      // most stretches are short
  static constexpr std::size_t kLeastScanned = 24;

  // The first warm byte from `begin` on, or `end`.
  [[nodiscard]] std::size_t first_warm(ByteSpan copy, std::size_t begin, std::size_t end, std::uint32_t behind) const {
    MissPlace place{0, behind};
    for (std::size_t i = begin; i < begin + 3; ++i) place.ahead = place.ahead << 8 | (i < copy.size() ? copy[i] : 0u);
    for (std::size_t i = begin; i < end; ++i) {
      place.ahead = place.ahead << 8 | (i + 3 < copy.size() ? copy[i + 3] : 0u);
      if (at(place).warm()) return i;
      place.behind = place.behind << 8 | copy[i];
    }
    return end;
  }

  std::unique_ptr<HeatTables> tables_;
  ColdScan scan_;
};

}  // namespace bdelta::mix
