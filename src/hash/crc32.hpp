// CRC-32 as archives have it (ISO 3309).
#pragma once

#include <cstdint>

#include "bdelta/io.hpp"

namespace bdelta {

// Of bytes behind others whose CRC-32 is `before`; of none it is 0.
[[nodiscard]] std::uint32_t crc32(ByteSpan bytes, std::uint32_t before = 0) noexcept;

}  // namespace bdelta
