// AVX2 forms of the scan for patterns.
//
// Halves, for few patterns. A shuffle looks 32 bytes up at once in a table of 16 entries, so each byte is looked up by
// its low and by its high half. An entry has a bit for each of eight groups of patterns; a pattern may begin where some
// group's bit is set in all eight look-ups of four neighbouring bytes. Half a cycle a byte; but with hundreds of
// patterns groups come to have most halves, and nearly every position passes. Method: the multiple-string search by
// shuffles that is known as Teddy, G. Langdale, Hyperscan, 2015.
//
// Hashes, for many: eight hashes are made by one product, their words of the bit table fetched one by one, and the bits
// shifted into the sign. Two cycles a byte where the scalar form takes four. A gather instruction is no faster, and on
// processors that had to mend theirs several times slower.
//
// Compiled with -mavx2; called only where the processor has it.
#include <immintrin.h>

#include "delta/pattern_scan.hpp"

namespace bdelta {
namespace {

constexpr std::size_t kByteLanes = 32;
constexpr std::size_t kLanes = 8;
constexpr std::size_t kBlocks = PatternScan::kPositions / kLanes;

__m256i load_groups(const PatternHalves::Groups& groups) noexcept {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(groups.data())));
}

// The four bytes from each of eight neighbouring positions on. Reads 16 bytes.
__m256i load_patterns(const std::uint8_t* bytes) noexcept {
  const __m256i lanes = _mm256_setr_epi8(0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6,  //
                                         4, 5, 6, 7, 5, 6, 7, 8, 6, 7, 8, 9, 7, 8, 9, 10);
  const __m256i block = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)));
  return _mm256_shuffle_epi8(block, lanes);
}

}  // namespace

std::uint64_t PatternScan::scan_halves_avx2(const PatternScan& patterns, const std::uint8_t* bytes) noexcept {
  const __m256i low_half = _mm256_set1_epi8(15);
  std::uint64_t found = 0;
  for (std::size_t begin = 0; begin < kPositions; begin += kByteLanes) {
    __m256i groups = _mm256_set1_epi8(-1);
    for (std::size_t place = 0; place < PatternHalves::kPlaces; ++place) {
      const __m256i some = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + begin + place));
      const __m256i low = _mm256_and_si256(some, low_half);
      const __m256i high = _mm256_and_si256(_mm256_srli_epi16(some, 4), low_half);
      groups = _mm256_and_si256(groups, _mm256_shuffle_epi8(load_groups(patterns.halves_.low[place]), low));
      groups = _mm256_and_si256(groups, _mm256_shuffle_epi8(load_groups(patterns.halves_.high[place]), high));
    }
    const __m256i none = _mm256_cmpeq_epi8(groups, _mm256_setzero_si256());
    found |= std::uint64_t{~static_cast<std::uint32_t>(_mm256_movemask_epi8(none))} << begin;
  }
  return found;
}

std::uint64_t PatternScan::scan_hashes_avx2(const PatternScan& patterns, const std::uint8_t* bytes) noexcept {
  const PatternHashes& hashes = patterns.hashes_;
  const __m256i factor = _mm256_set1_epi32(static_cast<int>(PatternHashes::kFactor));
  const __m128i to_number = _mm_cvtsi32_si128(static_cast<int>(hashes.shift));
  const __m256i last_bit = _mm256_set1_epi32(31);

  __m256i numbers[kBlocks];
  alignas(__m256i) std::array<std::uint32_t, kPositions> fetched;
  for (std::size_t i = 0; i < kBlocks; ++i) {
    const __m256i hash = _mm256_mullo_epi32(load_patterns(bytes + kLanes * i), factor);
    numbers[i] = _mm256_srl_epi32(hash, to_number);
    _mm256_store_si256(reinterpret_cast<__m256i*>(&fetched[kLanes * i]), _mm256_srli_epi32(numbers[i], 5));
  }
  for (std::uint32_t& one : fetched) one = hashes.bits[one];
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < kBlocks; ++i) {
    const __m256i bits = _mm256_load_si256(reinterpret_cast<const __m256i*>(&fetched[kLanes * i]));
    const __m256i in_sign = _mm256_sllv_epi32(bits, _mm256_andnot_si256(numbers[i], last_bit));
    const int signs = _mm256_movemask_ps(_mm256_castsi256_ps(in_sign));
    found |= std::uint64_t{static_cast<std::uint32_t>(signs)} << kLanes * i;
  }
  return found;
}

}  // namespace bdelta
