// Where copied bytes use to change: what lets the light model of misses pass over the others in a few nanoseconds each.
//
// Four tables hold a heat for what a byte and its neighbours are: the byte with the one before it, with the two before it,
// with the one on either side, and with the three behind it. A change heats these entries much, a byte that was asked about
// and stayed cools them by a quarter. A byte with a hot entry is *warm* and asked about; of the others hardly one in a
// thousand changes. As heat follows from the bytes alone, packer and unpacker agree on it without a word.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "base/bytes.hpp"

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
  MissHeat() : tables_(std::make_unique<Tables>()) {}

  static constexpr std::size_t kBytes = 4 * 65536;

  // The entries of a byte.
  struct Entries {
    std::uint8_t* pair;
    std::uint8_t* before;
    std::uint8_t* triple;
    std::uint8_t* next;

    [[nodiscard]] bool warm() const { return std::max({*pair, *before, *triple, *next}) >= kWarm; }
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
    return {&tables_->pair[pair], &tables_->before[hashed((place.behind & 0xffff) << 8 | place.byte())],
            &tables_->triple[hashed(pair << 8 | place.next() >> 16)],
            &tables_->next[hashed(place.ahead)]};
  }

  // How many bytes from `begin` on are not warm, up to `end`; behind is the four bytes in front of begin.
  [[nodiscard]] std::size_t cool_length(ByteSpan copy, std::size_t begin, std::size_t end, std::uint32_t behind) const {
    MissPlace place{0, behind};
    for (std::size_t i = begin; i < begin + 3; ++i) place.ahead = place.ahead << 8 | (i < copy.size() ? copy[i] : 0u);
    for (std::size_t i = begin; i < end; ++i) {
      place.ahead = place.ahead << 8 | (i + 3 < copy.size() ? copy[i + 3] : 0u);
      if (at(place).warm()) return i - begin;
      place.behind = place.behind << 8 | copy[i];
    }
    return end - begin;
  }

 private:
  static constexpr int kWarm = 60;    // more: fewer bytes are asked about, and more change unasked
  static constexpr int kChange = 80;

  static std::uint32_t hashed(std::uint32_t value) { return value * 0x9e3779b1u >> 16; }

  struct Tables {
    std::array<std::uint8_t, 65536> pair{};
    std::array<std::uint8_t, 65536> before{};
    std::array<std::uint8_t, 65536> triple{};
    std::array<std::uint8_t, 65536> next{};
  };
  std::unique_ptr<Tables> tables_;
};

}  // namespace bdelta::mix
