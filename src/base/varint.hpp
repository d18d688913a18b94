// Integers of variable length: base 128, least significant group first, high bit = more follow (LEB128).
// At most ten bytes; the shortest form is the only valid one, so that every value has one encoding.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"

namespace bdelta {

inline constexpr std::size_t kMaxVarintBytes = 10;

// Writes at most kMaxVarintBytes at `at`; returns the position behind.
inline std::uint8_t* store_varint(std::uint8_t* at, std::uint64_t value) noexcept {
  while (value >= 0x80) {
    *at++ = static_cast<std::uint8_t>(value | 0x80);
    value >>= 7;
  }
  *at++ = static_cast<std::uint8_t>(value);
  return at;
}

// How many bytes that takes.
[[nodiscard]] constexpr std::uint64_t varint_bytes(std::uint64_t value) noexcept {
  std::uint64_t count = 1;
  for (; value >= 0x80; value >>= 7) ++count;
  return count;
}

inline void append_varint(Bytes& to, std::uint64_t value) {
  if (value < 0x80) {
    to.push_back(static_cast<std::uint8_t>(value));
    return;
  }
  std::uint8_t bytes[kMaxVarintBytes];
  append(to, {bytes, static_cast<std::size_t>(store_varint(bytes, value) - bytes)});
}

// Reads what store_varint wrote in this process's memory, and moves `at` behind it. Nothing is checked.
inline std::uint64_t load_varint(const std::uint8_t*& at) noexcept {
  if (*at < 0x80) return *at++;
  std::uint64_t value = *at & 0x7f;
  for (unsigned shift = 7; (*at++ & 0x80) != 0; shift += 7) value |= std::uint64_t{*at & 0x7fu} << shift;
  return value;
}

// Signed values fold to 0, -1, 1, -2, … = 0, 1, 2, 3, …
[[nodiscard]] constexpr std::uint64_t zigzag(std::int64_t value) noexcept {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
[[nodiscard]] constexpr std::int64_t unzigzag(std::uint64_t value) noexcept {
  return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

}  // namespace bdelta
