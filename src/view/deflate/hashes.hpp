// The hash functions of encoders: from the four bytes at a position, the first lowest, to the number of a bucket.
#pragma once

#include <cstdint>
#include <vector>

#include "view/deflate/parameters.hpp"

namespace bdelta::deflate {

// For CrcHash: of each byte, and in it of each value.
[[nodiscard]] std::vector<std::uint16_t> make_crc_shares(unsigned byte_count);

// The low 15 bits of the CRC-32C of three bytes or four, begun with 0 and not inverted. Each byte has its share of it.
template <unsigned kBytes>
class CrcHash {
 public:
  // The table is made when it is first wanted.
  void choose(bool wanted) {
    wanted_ = wanted;
    if (wanted && table_.empty()) table_ = make_crc_shares(kBytes);
  }
  explicit operator bool() const noexcept { return wanted_; }
  std::uint32_t operator()(std::uint32_t bytes) const noexcept {
    std::uint32_t hash = 0;
    for (unsigned i = 0; i < kBytes; ++i) hash ^= table_[256 * i + (bytes >> 8 * i & 255)];
    return hash;
  }

 private:
  std::vector<std::uint16_t> table_;
  bool wanted_ = false;
};

template <Hash kHash>
class HashFunction;

// Three bytes, each shifted in so far that after three more it is gone; or their CRC, where others share a bucket.
template <>
class HashFunction<Hash::kThreeBytes> {
 public:
  void choose(const Parameters& p) {
    mask_ = (1u << p.hash_bits) - 1;
    shift_ = (p.hash_bits + 2u) / 3;
    crc_.choose(p.hash == Hash::kCrcOfThree);
  }
  std::uint32_t operator()(std::uint32_t bytes) const noexcept {
    if (crc_) return crc_(bytes);
    return ((bytes & 255) << 2 * shift_ ^ (bytes >> 8 & 255) << shift_ ^ (bytes >> 16 & 255)) & mask_;
  }

 private:
  std::uint32_t mask_ = 0;
  unsigned shift_ = 0;
  CrcHash<3> crc_;
};

template <>
class HashFunction<Hash::kFourBytes> {
 public:
  void choose(const Parameters& p) {
    mask_ = (1u << p.hash_bits) - 1;
    crc_.choose(p.hash == Hash::kCrcOfFour);
  }
  std::uint32_t operator()(std::uint32_t bytes) const noexcept {
    return crc_ ? crc_(bytes) : (bytes * 66521u + 66521u) >> 16 & mask_;
  }

 private:
  std::uint32_t mask_ = 0;
  CrcHash<4> crc_;
};

template <>
class HashFunction<Hash::kKnuth> {
 public:
  void choose(const Parameters&) noexcept {}
  std::uint32_t operator()(std::uint32_t bytes) const noexcept { return bytes * 2654435761u >> 16; }
};

// The last byte lowest.
template <>
class HashFunction<Hash::kGo> {
 public:
  static constexpr std::uint32_t kFactor = 506832829;

  void choose(const Parameters&) noexcept {}
  std::uint32_t operator()(std::uint32_t bytes) const noexcept {
    return (bytes << 24 | (bytes & 0xff00) << 8 | (bytes >> 8 & 0xff00) | bytes >> 24) * kFactor >> 15;
  }
};

}  // namespace bdelta::deflate
