// Adler-32 as streams of zlib have it (RFC 1950): the sum of the bytes, and the sum of these sums, modulo a prime.
//
// A division for each byte would take most of the time. Sums of 5,552 bytes fit into 32 bits whatever the bytes are, so
// the remainder is taken once for so many. The bound is zlib's.
#pragma once

#include <cstdint>

#include "bdelta/io.hpp"

namespace bdelta {

inline constexpr std::uint32_t kAdler32Start = 1;  // of no bytes

// Of bytes behind others whose Adler-32 is `before`.
[[nodiscard]] std::uint32_t adler32(ByteSpan bytes, std::uint32_t before = kAdler32Start) noexcept;

}  // namespace bdelta
