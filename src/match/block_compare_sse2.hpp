// SSE2 form of mismatch_mask: part of every x86-64.
#pragma once

#include <emmintrin.h>

#include <cstdint>

namespace bdelta {

inline std::uint64_t mismatch_mask_sse2(const std::uint8_t* a, const std::uint8_t* b) noexcept {
  std::uint64_t equal = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const __m128i left = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a + 16 * i));
    const __m128i right = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b + 16 * i));
    const auto bits = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(left, right)));
    equal |= static_cast<std::uint64_t>(bits) << (16 * i);
  }
  return ~equal;
}

}  // namespace bdelta
