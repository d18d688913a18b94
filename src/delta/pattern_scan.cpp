// Every byte of every copy may begin a pattern, and nearly none does. A branch on each look-up is mispredicted wherever
// text resembles the patterns. So 64 look-ups are made without one, into a number with a bit for each. Only its set
// bits are followed. There are two kinds of look-ups, after what AVX2 does well; pattern_scan_avx2.cpp has the figures.
#include "delta/pattern_scan.hpp"

#include <algorithm>
#include <bit>

namespace bdelta {
namespace {

constexpr unsigned kBitsLog = 6;  // bits for a pattern, as a power of two: one of 64 to 128 is set
constexpr unsigned kMinPatternsLog = 6;  // fewer patterns have bits for so many
constexpr std::size_t kFewPatterns = 192;

PatternHashes make_hashes(const std::vector<std::uint32_t>& patterns) {
  const unsigned log = std::max(kMinPatternsLog, static_cast<unsigned>(std::bit_width(patterns.size()))) + kBitsLog;
  PatternHashes hashes;
  hashes.bits.assign(std::size_t{1} << (log - 5), 0);
  hashes.shift = 32 - log;
  for (const std::uint32_t pattern : patterns) {
    const std::uint32_t number = hashes.number_of(pattern);
    hashes.bits[number / 32] |= 1u << number % 32;
  }
  return hashes;
}

}  // namespace

PatternScan::PatternScan(const std::vector<std::uint32_t>& patterns) : hashes_(make_hashes(patterns)) {
#if defined(BDELTA_HAVE_AVX2)
  if (!__builtin_cpu_supports("avx2")) return;
  const bool are_few = patterns.size() <= kFewPatterns;
  if (are_few) halves_ = make_halves(patterns);
  scan_ = are_few ? scan_halves_avx2 : scan_hashes_avx2;
#endif
}

std::uint64_t PatternScan::scan_hashes(const PatternScan& patterns, const std::uint8_t* bytes) noexcept {
  constexpr unsigned kAtATime = 4;  // which compilers unroll
  std::uint64_t found = 0;
  for (unsigned begin = 0; begin < kPositions; begin += kAtATime) {
    const auto some = load_le<std::uint64_t>(bytes + begin);
    std::uint64_t has = 0;
    for (unsigned i = 0; i < kAtATime; ++i) {
      has |= std::uint64_t{patterns.hashes_.has(static_cast<std::uint32_t>(some >> 8 * i))} << i;
    }
    found |= has << begin;
  }
  return found;
}

}  // namespace bdelta
