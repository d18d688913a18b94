// The scan for magics in registers of 32 bytes.
//
// The second bytes of the magics differ in their high halves. So the high half of each byte looks up, by a shuffle, which
// byte has to stand before it: one comparison for all magics, six instructions for 32 bytes. Where nothing asks for a byte
// the table has the one that is rare in text. The few positions that pass are looked at one by one.
//
// Compiled with -mavx2; called only where the processor has it.
#include <immintrin.h>

#include "exe/magic_scan.hpp"

namespace bdelta::exe {
namespace {

constexpr std::size_t kLanes = 32;
constexpr std::size_t kStepBytes = 4 * kLanes;

struct FirstBytes {
  alignas(16) std::uint8_t by_second_half[16];
};

constexpr FirstBytes first_bytes() noexcept {
  FirstBytes table{};
  for (std::uint8_t& first : table.by_second_half) first = kElfMagic[0];
  for (const auto& pair : kMagicPairs) table.by_second_half[pair[1] >> 4] = pair[0];
  return table;
}

constexpr bool halves_differ() noexcept {
  for (std::size_t i = 0; i < sizeof kMagicPairs / sizeof *kMagicPairs; ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (kMagicPairs[i][1] >> 4 == kMagicPairs[k][1] >> 4) return false;
    }
  }
  return true;
}
static_assert(halves_differ());

constexpr FirstBytes kFirstBytes = first_bytes();

bool stands_at(const std::uint8_t* bytes) noexcept {
  for (const auto& pair : kMagicPairs) {
    if (bytes[0] == pair[0] && bytes[1] == pair[1]) return true;
  }
  return false;
}

// Sets all bits of the positions that may have a magic.
__m256i candidates(const std::uint8_t* bytes, __m256i table, __m256i low_half) noexcept {
  const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
  const __m256i second = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + 1));
  const __m256i half = _mm256_and_si256(_mm256_srli_epi16(second, 4), low_half);
  return _mm256_cmpeq_epi8(first, _mm256_shuffle_epi8(table, half));
}

}  // namespace

std::size_t find_magic_avx2(const std::uint8_t* bytes, std::size_t count) noexcept {
  const __m256i table =
      _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(kFirstBytes.by_second_half)));
  const __m256i low_half = _mm256_set1_epi8(0x0f);
  std::size_t at = 0;
  for (; count - at >= kStepBytes; at += kStepBytes) {
    __m256i found[4];
    for (std::size_t i = 0; i < 4; ++i) found[i] = candidates(bytes + at + i * kLanes, table, low_half);
    const __m256i any = _mm256_or_si256(_mm256_or_si256(found[0], found[1]), _mm256_or_si256(found[2], found[3]));
    if (_mm256_testz_si256(any, any) != 0) continue;
    for (std::size_t i = 0; i < 4; ++i) {
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

}  // namespace bdelta::exe
