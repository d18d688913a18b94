// The hash functions of encoders: from the four bytes at a position, the first lowest, to the number of a bucket.
#pragma once

#include <array>
#include <cstdint>

#include "view/deflate/parameters.hpp"

namespace bdelta::deflate {

// The low 15 bits of the CRC-32C of three bytes or four, begun with 0 and not inverted. Each byte has its share of it.
class CrcHash {
 public:
  // byte_count: 0 if none is wanted.
  void choose(unsigned byte_count) noexcept;
  explicit operator bool() const noexcept { return byte_count_ != 0; }
  std::uint32_t operator()(std::uint32_t bytes) const noexcept;

 private:
  std::array<std::uint16_t, 1024> shares_{};  // of each of four bytes, and in it of each value
  unsigned byte_count_ = 0;
};

template <Hash kHash>
class HashFunction;

// Three bytes, each shifted in so far that after three more it is gone; or their CRC, where others share a bucket.
template <>
class HashFunction<Hash::kThreeBytes> {
 public:
  void choose(const Parameters& p) noexcept {
    mask_ = (1u << p.hash_bits) - 1;
    shift_ = (p.hash_bits + 2u) / 3;
    crc_.choose(p.hash == Hash::kCrcOfThree ? 3 : 0);
  }
  std::uint32_t operator()(std::uint32_t bytes) const noexcept {
    if (crc_) return crc_(bytes);
    return ((bytes & 255) << 2 * shift_ ^ (bytes >> 8 & 255) << shift_ ^ (bytes >> 16 & 255)) & mask_;
  }

 private:
  std::uint32_t mask_ = 0;
  unsigned shift_ = 0;
  CrcHash crc_;
};

template <>
class HashFunction<Hash::kFourBytes> {
 public:
  void choose(const Parameters& p) noexcept {
    mask_ = (1u << p.hash_bits) - 1;
    crc_.choose(p.hash == Hash::kCrcOfFour ? 4 : 0);
  }
  std::uint32_t operator()(std::uint32_t bytes) const noexcept {
    return crc_ ? crc_(bytes) : (bytes * 66521u + 66521u) >> 16 & mask_;
  }

 private:
  std::uint32_t mask_ = 0;
  CrcHash crc_;
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
