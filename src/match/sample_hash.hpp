// The hash of the 8 bytes at a position, and the rule that makes a position a sample.
//
// The hash is two 32-bit products, because that is what SIMD units multiply. Its high bits are good, and the rule
// looks there: a position is a sample if its hash lies below 2^32 >> shift. The rule depends on content alone, so
// equal bytes are samples in both files wherever they stand. The samples of a larger shift are a subset of those of
// a smaller one. A constant is added so that runs of zeros, the commonest content of all, are no samples.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"

namespace bdelta {

inline constexpr std::uint32_t kHashLow = 0x9E3779B1u;
inline constexpr std::uint32_t kHashHigh = 0x85EBCA77u;
inline constexpr std::uint32_t kHashOffset = 0xA5A5A5A5u;
inline constexpr std::uint64_t kHashSpan = 8;     // bytes that the sampling hash reads
inline constexpr std::uint64_t kAnchorSpan = 32;  // bytes that a sample's key reads

inline std::uint32_t sample_hash(const std::uint8_t* at) noexcept {
  return load_le<std::uint32_t>(at) * kHashLow + load_le<std::uint32_t>(at + 4) * kHashHigh + kHashOffset;
}

// Key of the 32 bytes at a sample: bucket and tag come from it.
inline std::uint64_t anchor_hash(const std::uint8_t* at) noexcept {
  std::uint64_t h = 0;
  for (unsigned i = 0; i < 4; ++i) {
    h = (h ^ load_le<std::uint64_t>(at + 8 * i)) * 0x9FB21C651E98DF25ull;
    h ^= h >> 29;
  }
  return h;
}

// Appends, relative to `bytes`, the sample positions in [0, count). Reads count + 7 bytes.
// threshold: 2^32 >> shift; at most 2^31.
using SampleScan = void (*)(const std::uint8_t* bytes, std::uint32_t count, std::uint32_t threshold,
                            std::vector<std::uint32_t>& positions);

void scan_samples_scalar(const std::uint8_t* bytes, std::uint32_t count, std::uint32_t threshold,
                         std::vector<std::uint32_t>& positions);
void scan_samples_avx2(const std::uint8_t* bytes, std::uint32_t count, std::uint32_t threshold,
                       std::vector<std::uint32_t>& positions);

// The fastest form that this processor runs; all give the same positions.
[[nodiscard]] SampleScan best_sample_scan() noexcept;

}  // namespace bdelta
