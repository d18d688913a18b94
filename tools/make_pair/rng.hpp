// Random numbers that are the same on every platform: integers only, no distribution of the standard library.
#pragma once

#include <cstdint>

namespace make_pair {

// splitmix64 by Sebastiano Vigna (public domain): one addition and a mix; also serves to derive seeds.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

[[nodiscard]] constexpr std::uint64_t derive(std::uint64_t seed, std::uint64_t purpose) noexcept {
  return mix(seed ^ mix(purpose + 0x9e3779b97f4a7c15U));
}

class Rng {
 public:
  explicit constexpr Rng(std::uint64_t seed) noexcept : state_(seed) {}

  constexpr std::uint64_t next() noexcept { return mix(state_ += 0x9e3779b97f4a7c15U); }

  // 0 … n-1 for n below 2^32; n == 0 gives 0.
  constexpr std::uint32_t below(std::uint32_t n) noexcept {
    return static_cast<std::uint32_t>(((next() >> 32) * n) >> 32);
  }
  constexpr std::uint32_t between(std::uint32_t low, std::uint32_t high) noexcept {
    return low + below(high - low + 1);
  }
  constexpr bool chance(std::uint32_t part, std::uint32_t whole) noexcept { return below(whole) < part; }
  constexpr std::uint8_t byte() noexcept { return static_cast<std::uint8_t>(next() >> 56); }

  // 0 … n-1, each octave equally likely: close to Zipf's law with exponent 1, without floating point.
  constexpr std::uint32_t zipf(std::uint32_t n) noexcept {
    if (n < 2) return 0;
    std::uint32_t octaves = 0;
    while ((n >> octaves) > 1) ++octaves;
    const std::uint32_t floor = 1U << below(octaves + 1);
    const std::uint32_t rank = floor - 1 + below(floor);
    return rank < n ? rank : below(n);
  }

  // low … high, small values more often, each octave equally likely.
  constexpr std::uint32_t log_between(std::uint32_t low, std::uint32_t high) noexcept {
    if (high <= low) return low;
    std::uint64_t top = low > 0 ? low : 1;
    std::uint32_t octaves = 0;
    while (top * 2 <= high) {
      top *= 2;
      ++octaves;
    }
    const std::uint64_t floor = static_cast<std::uint64_t>(low > 0 ? low : 1) << below(octaves + 1);
    const std::uint64_t value = floor + below(static_cast<std::uint32_t>(floor));
    return static_cast<std::uint32_t>(value < high ? value : high);
  }

 private:
  std::uint64_t state_;
};

}  // namespace make_pair
