// The scan for pairs in registers of 32 bytes.
//
// The second bytes of the pairs differ in one of their halves. So that half of each byte looks up, by a shuffle, which byte has
// to stand before it: one comparison for all pairs, six instructions for 32 bytes. Where no pair has a half, the table has the
// first byte of the first pair. The few positions that pass are looked at one by one.
//
// Compiled with -mavx2; called only where the processor has it.
#include <immintrin.h>

#include "base/pair_scan.hpp"

namespace bdelta {

std::size_t PairScan::find_avx2(const std::uint8_t* bytes, std::size_t count) const noexcept {
  constexpr std::size_t kLanes = 32, kRegisters = 4;
  const __m256i table = _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(first_.data())));
  const __m256i low_half = _mm256_set1_epi8(0x0f);
  const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(shift_));
  std::size_t at = 0;
  for (; count - at >= kRegisters * kLanes; at += kRegisters * kLanes) {
    __m256i found[kRegisters];
    __m256i any = _mm256_setzero_si256();
    for (std::size_t i = 0; i < kRegisters; ++i) {
      const std::uint8_t* const from = bytes + at + i * kLanes;
      const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
      const __m256i second = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 1));
      const __m256i half = _mm256_and_si256(_mm256_srl_epi16(second, shift), low_half);
      found[i] = _mm256_cmpeq_epi8(first, _mm256_shuffle_epi8(table, half));
      any = _mm256_or_si256(any, found[i]);
    }
    if (_mm256_testz_si256(any, any) != 0) continue;
    for (std::size_t i = 0; i < kRegisters; ++i) {
      for (auto mask = static_cast<unsigned>(_mm256_movemask_epi8(found[i])); mask != 0; mask &= mask - 1) {
        const std::size_t pos = at + i * kLanes + static_cast<std::size_t>(__builtin_ctz(mask));
        if (stands_at(bytes + pos)) return pos;
      }
    }
  }
  for (; at < count; ++at) {
    if (stands_at(bytes + at)) return at;
  }
  return count;
}

}  // namespace bdelta
