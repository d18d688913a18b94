// NEON form of mismatch_mask: part of every arm64.
#pragma once

#include <arm_neon.h>

#include <cstdint>

namespace bdelta {

// Each byte keeps one bit of its lane's place, and three pairwise additions fold 64 bytes into 8.
inline std::uint64_t mismatch_mask_neon(const std::uint8_t* a, const std::uint8_t* b) noexcept {
  const uint8x16_t places = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201ull));
  uint8x16_t equal[4];
  for (unsigned i = 0; i < 4; ++i) equal[i] = vandq_u8(vceqq_u8(vld1q_u8(a + 16 * i), vld1q_u8(b + 16 * i)), places);
  const uint8x16_t pairs = vpaddq_u8(vpaddq_u8(equal[0], equal[1]), vpaddq_u8(equal[2], equal[3]));
  return ~vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(pairs, pairs)), 0);
}

}  // namespace bdelta
