// Little-endian loads and stores that work at any alignment and on any byte order.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "base/large_pages.hpp"
#include "bdelta/io.hpp"

namespace bdelta {

using Bytes = std::vector<std::uint8_t>;

template <class T>
[[nodiscard]] inline T load_le(const std::uint8_t* at) noexcept {
  static_assert(std::is_unsigned_v<T>);
  if constexpr (std::endian::native == std::endian::little) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
  } else {
    T value = 0;
    for (std::size_t i = sizeof(T); i-- > 0;) value = static_cast<T>((value << 8) | at[i]);
    return value;
  }
}

template <class T>
inline void store_le(std::uint8_t* at, T value) noexcept {
  static_assert(std::is_unsigned_v<T>);
  for (std::size_t i = 0; i < sizeof(T); ++i) at[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

// A signed number of 32 bits, to be added to what has 64.
[[nodiscard]] constexpr std::uint64_t sign_extended(std::uint32_t number) noexcept {
  return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(number)});
}

// How many bytes from the start on are the same, of `count`.
[[nodiscard]] inline std::size_t count_equal(const std::uint8_t* a, const std::uint8_t* b, std::size_t count) noexcept {
  std::size_t at = 0;
  for (; count - at >= 8; at += 8) {
    const std::uint64_t differing = load_le<std::uint64_t>(a + at) ^ load_le<std::uint64_t>(b + at);
    if (differing != 0) return at + static_cast<std::size_t>(std::countr_zero(differing)) / 8;
  }
  while (at < count && a[at] == b[at]) ++at;
  return at;
}

// Both of the same size.
[[nodiscard]] inline std::uint64_t count_differing(ByteSpan a, ByteSpan b) noexcept {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i] ? 1u : 0u;
  return count;
}

// As Bytes::reserve, for what is filled soon.
inline void reserve_to_fill(Bytes& bytes, std::size_t size) {
  if (bytes.capacity() >= size) return;
  bytes.reserve(size);
  prefer_large_pages(bytes.data(), size);
}

// Makes `bytes` of that size, whatever they hold then: their own memory goes first, and never grows by more than is needed.
inline void renew(Bytes& bytes, std::size_t size) {
  if (bytes.capacity() < size) Bytes().swap(bytes);
  reserve_to_fill(bytes, size);
  bytes.resize(size);
}

inline void append(Bytes& to, ByteSpan from) {
  if (from.empty()) return;
  const std::size_t before = to.size();
  to.resize(before + from.size());
  std::memcpy(to.data() + before, from.data(), from.size());
}

template <class T>
inline void append_le(Bytes& to, T value) {
  std::uint8_t bytes[sizeof(T)];
  store_le(bytes, value);
  append(to, bytes);
}

}  // namespace bdelta
