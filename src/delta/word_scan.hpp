// Where words may begin: what tells of 64 positions at a time that most of them are not worth a look-up.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "delta/word_halves.hpp"

namespace bdelta {

// A bit for each value of a word's hash, set if some word has it.
struct WordHashes {
  static constexpr std::uint32_t kFactor = 0x9e3779b1u;

  std::vector<std::uint32_t> bits;
  unsigned shift = 0;  // leaves the bit's number of a hash

  [[nodiscard]] std::uint32_t number_of(std::uint32_t word) const noexcept { return word * kFactor >> shift; }
  [[nodiscard]] bool has(std::uint32_t word) const noexcept {
    const std::uint32_t number = number_of(word);
    return (bits[number / 32] >> (number % 32) & 1) != 0;
  }
};

// Immutable once made: any number of threads may ask it.
class WordScan {
 public:
  static constexpr std::size_t kPositions = 64;
  static constexpr std::size_t kReadBytes = kPositions + 8;

  WordScan() = default;
  // Words as numbers whose lowest byte is the first one in the file.
  explicit WordScan(const std::vector<std::uint32_t>& words);

  // A bit for each of the first 64 of kReadBytes bytes: set where a word begins, and at few other places.
  [[nodiscard]] std::uint64_t places(const std::uint8_t* bytes) const noexcept { return scan_(*this, bytes); }

  // The same by look-ups that every processor has.
  [[nodiscard]] WordScan portable() const {
    WordScan other = *this;
    other.scan_ = scan_hashes;
    return other;
  }

  // True for every word, and for few other numbers.
  [[nodiscard]] bool may_be(std::uint32_t word) const noexcept { return hashes_.has(word); }

 private:
  using Scan = std::uint64_t (*)(const WordScan& words, const std::uint8_t* bytes);

  static std::uint64_t scan_hashes(const WordScan& words, const std::uint8_t* bytes) noexcept;
  static std::uint64_t scan_hashes_avx2(const WordScan& words, const std::uint8_t* bytes) noexcept;
  static std::uint64_t scan_halves_avx2(const WordScan& words, const std::uint8_t* bytes) noexcept;

  WordHashes hashes_;
  WordHalves halves_;  // for scan_halves_avx2
  Scan scan_ = scan_hashes;
};

}  // namespace bdelta
