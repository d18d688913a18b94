// Where one of a few pairs of bytes stands, at the speed of memory.
//
// Formats begin with magic bytes, and most of a file begins none. Two bytes are enough to look at: of random ones a pair stands
// each 64 KiB, and the parser of the format judges what is found. The portable form asks blocks whether any position passes, by
// operators without branches, which compilers turn into instructions over many bytes. pair_scan_avx2.cpp asks for all pairs at
// once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace bdelta {

class PairScan {
 public:
  // The second bytes differ in their low halves or in their high ones: a compiler refuses others. The first byte of the first
  // pair is best rare in text. The pairs must outlive the object.
  template <std::size_t count>
  explicit consteval PairScan(const std::uint8_t (&pairs)[count][2]) : pairs_(pairs), pair_count_(count), shift_(fill(0) ? 0 : 4) {
    if (!fill(shift_)) throw "the pairs can't be told apart by half of their second byte";
  }

  // The first of `count` positions where a pair stands, or `count`. Reads one byte more than that.
  [[nodiscard]] std::size_t find(const std::uint8_t* bytes, std::size_t count) const noexcept;

  // The same without registers that not all processors have.
  [[nodiscard]] std::size_t find_portably(const std::uint8_t* bytes, std::size_t count) const noexcept;

 private:
  static constexpr std::size_t kHalves = 16;  // that a half of a byte can be

  // False if two pairs have one entry.
  constexpr bool fill(unsigned shift) noexcept {
    std::array<bool, kHalves> taken{};
    for (std::size_t half = 0; half < kHalves; ++half) {
      first_[half] = pairs_[0][0];
      second_[half] = static_cast<std::uint8_t>((half ^ 1) << shift);  // which never asks for this entry
    }
    for (std::size_t i = 0; i < pair_count_; ++i) {
      const std::size_t half = pairs_[i][1] >> shift & 15;
      if (taken[half]) return false;
      taken[half] = true;
      first_[half] = pairs_[i][0];
      second_[half] = pairs_[i][1];
    }
    return true;
  }

  [[nodiscard]] bool stands_at(const std::uint8_t* bytes) const noexcept {
    const std::size_t half = bytes[1] >> shift_ & 15;
    return bytes[0] == first_[half] && bytes[1] == second_[half];
  }
  [[nodiscard]] bool stands_in(const std::uint8_t* block) const noexcept;
  [[nodiscard]] std::size_t find_avx2(const std::uint8_t* bytes, std::size_t count) const noexcept;

  const std::uint8_t (*pairs_)[2];
  std::size_t pair_count_;
  // By a half of the second byte: the pair that may stand there.
  alignas(kHalves) std::array<std::uint8_t, kHalves> first_{};
  std::array<std::uint8_t, kHalves> second_{};
  unsigned shift_;  // of that half
};

}  // namespace bdelta
