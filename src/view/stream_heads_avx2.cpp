// The scan for heads of streams in registers of 32 bytes.
//
// The second bytes of the pairs differ in their low halves. So the low half of each byte looks up, by a shuffle, which byte
// has to stand before it: one comparison for all pairs, five instructions for 32 bytes. Where nothing asks for a byte the
// table has the one that is rare in text. The few positions that pass are looked at one by one.
//
// Compiled with -mavx2; called only where the processor has it.
#include <immintrin.h>

#include "view/stream_heads.hpp"

namespace bdelta::view {
namespace {

constexpr std::size_t kLanes = 32;
constexpr std::size_t kStepBytes = 4 * kLanes;

struct HeadBytes {
  alignas(16) std::uint8_t by_second_half[16];
};

constexpr HeadBytes head_bytes_by_half() noexcept {
  HeadBytes table{};
  for (std::uint8_t& first : table.by_second_half) first = kGzipMagic[0];
  for (const auto& pair : kHeadPairs) table.by_second_half[pair[1] & 15] = pair[0];
  return table;
}

constexpr bool low_halves_differ() noexcept {
  unsigned seen = 0;
  for (const auto& pair : kHeadPairs) {
    const unsigned bit = 1u << (pair[1] & 15);
    if ((seen & bit) != 0) return false;
    seen |= bit;
  }
  return true;
}
static_assert(low_halves_differ());

constexpr HeadBytes kHeadBytes = head_bytes_by_half();

bool head_stands_at(const std::uint8_t* bytes) noexcept {
  for (const auto& pair : kHeadPairs) {
    if (bytes[0] == pair[0] && bytes[1] == pair[1]) return true;
  }
  return false;
}

// Sets all bits of the positions that may have a head.
__m256i may_begin_head(const std::uint8_t* bytes, __m256i table, __m256i low_half) noexcept {
  const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
  const __m256i second = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + 1));
  return _mm256_cmpeq_epi8(first, _mm256_shuffle_epi8(table, _mm256_and_si256(second, low_half)));
}

}  // namespace

std::size_t find_head_avx2(const std::uint8_t* bytes, std::size_t count) noexcept {
  const __m256i table = _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(kHeadBytes.by_second_half)));
  const __m256i low_half = _mm256_set1_epi8(0x0f);
  std::size_t at = 0;
  for (; count - at >= kStepBytes; at += kStepBytes) {
    __m256i found[4];
    for (std::size_t i = 0; i < 4; ++i) found[i] = may_begin_head(bytes + at + i * kLanes, table, low_half);
    const __m256i any = _mm256_or_si256(_mm256_or_si256(found[0], found[1]), _mm256_or_si256(found[2], found[3]));
    if (_mm256_testz_si256(any, any) != 0) continue;
    for (std::size_t i = 0; i < 4; ++i) {
      for (auto mask = static_cast<unsigned>(_mm256_movemask_epi8(found[i])); mask != 0; mask &= mask - 1) {
        const std::size_t pos = at + i * kLanes + static_cast<std::size_t>(__builtin_ctz(mask));
        if (head_stands_at(bytes + pos)) return pos;
      }
    }
  }
  for (; at < count; ++at) {
    if (head_stands_at(bytes + at)) return at;
  }
  return count;
}

}  // namespace bdelta::view
