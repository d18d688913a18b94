// The hash functions of encoders: from the four bytes at a position, the first lowest, to the number of a bucket.
#pragma once

#include <cstdint>

#include "view/deflate/parameters.hpp"

namespace bdelta::deflate {

template <Hash kHash>
class HashFunction;

// Three bytes, each shifted in so far that after three more it is gone.
template <>
class HashFunction<Hash::kThreeBytes> {
 public:
  void set_bits(unsigned bits) noexcept {
    mask_ = (1u << bits) - 1;
    shift_ = (bits + 2) / 3;
  }
  std::uint32_t operator()(std::uint32_t bytes) const noexcept {
    return ((bytes & 255) << 2 * shift_ ^ (bytes >> 8 & 255) << shift_ ^ (bytes >> 16 & 255)) & mask_;
  }

 private:
  std::uint32_t mask_ = 0;
  unsigned shift_ = 0;
};

template <>
class HashFunction<Hash::kFourBytes> {
 public:
  void set_bits(unsigned bits) noexcept { mask_ = (1u << bits) - 1; }
  std::uint32_t operator()(std::uint32_t bytes) const noexcept { return (bytes * 66521u + 66521u) >> 16 & mask_; }

 private:
  std::uint32_t mask_ = 0;
};

template <>
class HashFunction<Hash::kKnuth> {
 public:
  void set_bits(unsigned) noexcept {}
  std::uint32_t operator()(std::uint32_t bytes) const noexcept { return bytes * 2654435761u >> 16; }
};

// The last byte lowest.
template <>
class HashFunction<Hash::kGo> {
 public:
  static constexpr std::uint32_t kFactor = 506832829;

  void set_bits(unsigned) noexcept {}
  std::uint32_t operator()(std::uint32_t bytes) const noexcept {
    return (bytes << 24 | (bytes & 0xff00) << 8 | (bytes >> 8 & 0xff00) | bytes >> 24) * kFactor >> 15;
  }
};

}  // namespace bdelta::deflate
