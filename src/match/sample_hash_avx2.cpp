// AVX2 form of the sample scan: eight positions at a time. Two shuffles of the same 16 bytes give each lane its low
// and its high four bytes; the comparison is unsigned by flipping the sign bits.
//
// Samples come at random, so a branch on them is mispredicted nearly once a sample. Instead every eight positions are
// stored. A permutation, taken from a table by the mask of the comparison, brings those that are samples to the front.
// The next store begins behind them. The stores go to a small buffer on the stack, which is never full of samples, and
// from there to the caller's vector.
// Compiled with -mavx2; called only where the processor has it.
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>

#include "match/sample_hash.hpp"

namespace bdelta {
namespace {

constexpr std::uint32_t kLanes = 8;
constexpr std::uint32_t kBufferPositions = 2048;  // 8 KiB

// For each mask the numbers of its set bits, ascending, one a byte from the lowest on; the rest is zero.
constexpr std::array<std::uint64_t, 256> make_compactions() {
  std::array<std::uint64_t, 256> table{};
  for (unsigned mask = 0; mask < 256; ++mask) {
    unsigned used = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if ((mask >> lane & 1) != 0) table[mask] |= std::uint64_t{lane} << (8 * used++);
    }
  }
  return table;
}

constexpr std::array<std::uint64_t, 256> kCompactions = make_compactions();

}  // namespace

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
  const __m256i lane_step = _mm256_set1_epi32(static_cast<int>(kLanes));

  std::array<std::uint32_t, kBufferPositions + kLanes> buffer;  // the last store may reach beyond the samples
  std::uint32_t i = 0;
  // 16 bytes are loaded for 8 positions, one more than the positions may read: stop a block early.
  const std::uint32_t stop = count < 2 * kLanes ? 0 : (count - kLanes) / kLanes * kLanes;
  while (i < stop) {
    const std::uint32_t piece_end = std::min(stop, i + kBufferPositions);
    __m256i lanes = _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(static_cast<int>(i)));
    std::uint32_t* to = buffer.data();
    for (; i < piece_end; i += kLanes) {
      const __m256i block =
          _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + i)));
      const __m256i low = _mm256_mullo_epi32(_mm256_shuffle_epi8(block, low_lanes), low_factor);
      const __m256i high = _mm256_mullo_epi32(_mm256_shuffle_epi8(block, high_lanes), high_factor);
      const __m256i hash = _mm256_add_epi32(_mm256_add_epi32(low, high), offset);
      const __m256i below = _mm256_cmpgt_epi32(limit, hash);
      const auto bits = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(below)));
      const __m256i order =
          _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(&kCompactions[bits])));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permutevar8x32_epi32(lanes, order));
      to += std::popcount(bits);
      lanes = _mm256_add_epi32(lanes, lane_step);
    }
    positions.insert(positions.end(), buffer.data(), to);
  }
  for (; i < count; ++i) {
    if (sample_hash(bytes + i) < threshold) positions.push_back(i);
  }
}

}  // namespace bdelta
