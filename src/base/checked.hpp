// Unsigned 64-bit arithmetic on values that came from a file: a wrapped result is reported, never used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace bdelta {

// Each returns false on overflow and leaves `out` unspecified.
[[nodiscard]] constexpr bool checked_add(std::uint64_t a, std::uint64_t b, std::uint64_t& out) noexcept {
  out = a + b;
  return out >= a;
}

[[nodiscard]] constexpr bool checked_mul(std::uint64_t a, std::uint64_t b, std::uint64_t& out) noexcept {
  out = a * b;
  return a == 0 || out / a == b;
}

// a + signed delta, within [0, 2^64).
[[nodiscard]] constexpr bool checked_add_signed(std::uint64_t a, std::int64_t delta, std::uint64_t& out) noexcept {
  out = a + static_cast<std::uint64_t>(delta);
  return delta >= 0 ? out >= a : out < a;
}

// [pos, pos + length) lies inside [0, size).
[[nodiscard]] constexpr bool range_fits(std::uint64_t pos, std::uint64_t length, std::uint64_t size) noexcept {
  return length <= size && pos <= size - length;
}

// What memory can be had at all, whatever the limit is: with 32 bits 2 GiB.
inline constexpr std::uint64_t kMostMemoryBytes = std::numeric_limits<std::size_t>::max() / 2;

// The one place where a 64-bit count becomes a size of memory.
[[nodiscard]] constexpr bool fits_size(std::uint64_t value) noexcept { return value <= kMostMemoryBytes; }

}  // namespace bdelta
