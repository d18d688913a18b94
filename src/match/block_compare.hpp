// Which of 64 bytes differ: the primitive under every extension. Bit i of the result is set where a[i] != b[i].
// One implementation is chosen at compile time from what the architecture always has; all give the same bits.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__) || defined(_M_X64)
#include "match/block_compare_sse2.hpp"
#elif defined(__ARM_NEON) && defined(__aarch64__) && !defined(__ARM_BIG_ENDIAN)
#define BDELTA_MISMATCH_NEON
#include "match/block_compare_neon.hpp"
#endif

namespace bdelta {

inline constexpr std::uint64_t kCompareBlock = 64;  // bytes, one per bit of the mask

// The plain form: the meaning of the others, and what the tests compare them with.
inline std::uint64_t mismatch_mask_scalar(const std::uint8_t* a, const std::uint8_t* b) noexcept {
  std::uint64_t mask = 0;
  for (unsigned i = 0; i < 64; ++i) mask |= static_cast<std::uint64_t>(a[i] != b[i]) << i;
  return mask;
}

inline std::uint64_t mismatch_mask(const std::uint8_t* a, const std::uint8_t* b) noexcept {
#if defined(__SSE2__) || defined(_M_X64)
  return mismatch_mask_sse2(a, b);
#elif defined(BDELTA_MISMATCH_NEON)
  return mismatch_mask_neon(a, b);
#else
  return mismatch_mask_scalar(a, b);
#endif
}

// How many of `length` bytes differ. Most blocks are equal.
inline std::uint64_t count_misses(const std::uint8_t* a, const std::uint8_t* b, std::uint64_t length) noexcept {
  std::uint64_t count = 0;
  std::uint64_t done = 0;
  for (; length - done >= kCompareBlock; done += kCompareBlock) {
    if (const std::uint64_t mask = mismatch_mask(a + done, b + done); mask != 0) count += static_cast<unsigned>(std::popcount(mask));
  }
  for (; done < length; ++done) count += a[done] != b[done];
  return count;
}

// For comparing eight bytes with eight others at once; what number they make differs between processors.
inline std::uint64_t load_word(const std::uint8_t* at) noexcept {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

}  // namespace bdelta
