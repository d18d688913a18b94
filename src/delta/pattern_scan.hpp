// Where patterns may begin: what tells of 64 positions at a time that most of them are not worth a look-up.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "delta/pattern_halves.hpp"

namespace bdelta {

// A bit for each value of a pattern's hash, set if some pattern has it.
struct PatternHashes {
  static constexpr std::uint32_t kFactor = 0x9e3779b1u;

  std::vector<std::uint32_t> bits;
  unsigned shift = 0;  // leaves the bit's number of a hash

  [[nodiscard]] std::uint32_t number_of(std::uint32_t pattern) const noexcept { return pattern * kFactor >> shift; }
  [[nodiscard]] bool has(std::uint32_t pattern) const noexcept {
    const std::uint32_t number = number_of(pattern);
    return (bits[number / 32] >> (number % 32) & 1) != 0;
  }
};

// Immutable once made: any number of threads may ask it.
class PatternScan {
 public:
  static constexpr std::size_t kPositions = 64;
  static constexpr std::size_t kReadBytes = kPositions + 8;

  PatternScan() = default;
  // Patterns as numbers whose lowest byte is the first one in the file.
  explicit PatternScan(const std::vector<std::uint32_t>& patterns);

  // A bit for each of the first 64 of kReadBytes bytes: set where a pattern begins, and at few other places.
  [[nodiscard]] std::uint64_t places(const std::uint8_t* bytes) const noexcept { return scan_(*this, bytes); }

  // The same by look-ups that every processor has.
  [[nodiscard]] PatternScan portable() const {
    PatternScan other = *this;
    other.scan_ = scan_hashes;
    return other;
  }

  // True for every pattern, and for few other numbers.
  [[nodiscard]] bool may_be(std::uint32_t pattern) const noexcept { return hashes_.has(pattern); }

 private:
  using Scan = std::uint64_t (*)(const PatternScan& patterns, const std::uint8_t* bytes);

  static std::uint64_t scan_hashes(const PatternScan& patterns, const std::uint8_t* bytes) noexcept;
  static std::uint64_t scan_hashes_avx2(const PatternScan& patterns, const std::uint8_t* bytes) noexcept;
  static std::uint64_t scan_halves_avx2(const PatternScan& patterns, const std::uint8_t* bytes) noexcept;

  PatternHashes hashes_;
  PatternHalves halves_;  // for scan_halves_avx2
  Scan scan_ = scan_hashes;
};

}  // namespace bdelta
