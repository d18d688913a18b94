// The scan for bytes without a warm entry, eight at a time.
//
// Nearly all of a copy is cold, and to find that out is most of the miss model's time where little changes. Byte by byte it
// takes three hashes, four loads and a branch. Here a shuffle puts each byte and its neighbours into a lane of its own, and
// one multiplication hashes all eight. Three gathers fetch what would be 32 loads: `before` and `triple` of the same three
// bytes come together. A `before` that comes so is that of the next byte. So a block answers for its bytes but for the
// first one's, for which the block in front has answered. One branch for eight bytes.
//
// Compiled with -mavx2; called only where the processor has it.
#include <immintrin.h>

#include "model/heat_tables.hpp"

namespace bdelta::mix {
namespace {

constexpr std::size_t kLanes = 8;

__m256i load_twice(const std::uint8_t* bytes) noexcept {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)));
}

__m256i hashed(__m256i bytes, __m256i factor) noexcept {
  return _mm256_srli_epi32(_mm256_mullo_epi32(bytes, factor), 16);
}

template <int kScale>
__m256i gather(const std::uint8_t* heats, __m256i indexes) noexcept {
  return _mm256_i32gather_epi32(reinterpret_cast<const int*>(heats), indexes, kScale);
}

}  // namespace

std::size_t pass_cold_avx2(const HeatTables& tables, const std::uint8_t* bytes, std::size_t count) noexcept {
  const std::uint32_t first = heat_index(static_cast<std::uint32_t>(bytes[-2] << 16 | bytes[-1] << 8 | bytes[0]));
  if (tables.threes()[2 * std::size_t{first}] >= kWarmHeat) return 0;
  // Into each lane the four bytes from its place on, the first highest.
  const __m256i spread = _mm256_setr_epi8(3, 2, 1, 0, 4, 3, 2, 1, 5, 4, 3, 2, 6, 5, 4, 3,  //
                                          7, 6, 5, 4, 8, 7, 6, 5, 9, 8, 7, 6, 10, 9, 8, 7);
  const __m256i factor = _mm256_set1_epi32(static_cast<int>(kHeatFactor));
  const __m256i cool = _mm256_set1_epi8(kWarmHeat - 1);
  const __m256i first_byte = _mm256_set1_epi32(0xff);
  const __m256i both_bytes = _mm256_set1_epi32(0xffff);
  std::size_t at = 0;
  for (; count - at >= kLanes; at += kLanes) {
    const __m256i from_before = _mm256_shuffle_epi8(load_twice(bytes + at - 1), spread);
    const __m256i from_here = _mm256_shuffle_epi8(load_twice(bytes + at), spread);
    const __m256i pairs = gather<1>(tables.pairs(), _mm256_srli_epi32(from_before, 16));
    const __m256i threes = gather<2>(tables.threes(), hashed(_mm256_srli_epi32(from_before, 8), factor));
    const __m256i nexts = gather<1>(tables.nexts(), hashed(from_here, factor));
    const __m256i ones = _mm256_and_si256(_mm256_max_epu8(pairs, nexts), first_byte);
    const __m256i most = _mm256_max_epu8(ones, _mm256_and_si256(threes, both_bytes));
    const __m256i warm = _mm256_subs_epu8(most, cool);
    if (_mm256_testz_si256(warm, warm) == 0) break;
  }
  return at;
}

}  // namespace bdelta::mix
