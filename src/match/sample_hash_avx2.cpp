// AVX2 form of the sample scan: eight positions at a time. Two shuffles of the same 16 bytes give each lane its low
// and its high four bytes; the comparison is unsigned by flipping the sign bits.
// Compiled with -mavx2; called only where the processor has it.
#include <immintrin.h>

#include <bit>

#include "match/sample_hash.hpp"

namespace bdelta {

void scan_samples_avx2(const std::uint8_t* bytes, std::uint32_t count, std::uint32_t threshold,
                       std::vector<std::uint32_t>& positions) {
  const __m256i low_lanes = _mm256_setr_epi8(0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6,  //
                                             4, 5, 6, 7, 5, 6, 7, 8, 6, 7, 8, 9, 7, 8, 9, 10);
  const __m256i high_lanes = _mm256_add_epi8(low_lanes, _mm256_set1_epi8(4));
  const __m256i low_factor = _mm256_set1_epi32(static_cast<int>(kHashLow));
  const __m256i high_factor = _mm256_set1_epi32(static_cast<int>(kHashHigh));
  // The sign flip folded into the offset: adding 2^31 is the same as flipping the top bit.
  const __m256i offset = _mm256_set1_epi32(static_cast<int>(kHashOffset + 0x80000000u));
  const __m256i limit = _mm256_set1_epi32(static_cast<int>(threshold + 0x80000000u));

  std::uint32_t i = 0;
  // 16 bytes are loaded for 8 positions, one more than the positions may read: stop a block early.
  for (; i + 16 <= count; i += 8) {
    const __m256i block =
        _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + i)));
    const __m256i low = _mm256_mullo_epi32(_mm256_shuffle_epi8(block, low_lanes), low_factor);
    const __m256i high = _mm256_mullo_epi32(_mm256_shuffle_epi8(block, high_lanes), high_factor);
    const __m256i hash = _mm256_add_epi32(_mm256_add_epi32(low, high), offset);
    const __m256i below = _mm256_cmpgt_epi32(limit, hash);
    auto bits = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(below)));
    while (bits != 0) {
      positions.push_back(i + static_cast<unsigned>(std::countr_zero(bits)));
      bits &= bits - 1;
    }
  }
  for (; i < count; ++i) {
    if (sample_hash(bytes + i) < threshold) positions.push_back(i);
  }
}

}  // namespace bdelta
