// Adler-32 as streams of zlib have it (RFC 1950).
#pragma once

#include <cstdint>

#include "bdelta/io.hpp"

namespace bdelta {

inline constexpr std::uint32_t kAdler32Start = 1;  // of no bytes

// Of bytes behind others whose Adler-32 is `before`.
[[nodiscard]] std::uint32_t adler32(ByteSpan bytes, std::uint32_t before = kAdler32Start) noexcept;

}  // namespace bdelta
