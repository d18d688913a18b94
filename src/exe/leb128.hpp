// LEB128 numbers as compilers and linkers write them: unlike those of a patch they may be longer than needed.
#pragma once

#include "base/byte_cursor.hpp"

namespace bdelta::exe {

// Bits beyond 64 are lost. What ends too early fails the cursor.
inline std::uint64_t read_uleb(ByteCursor& cursor) noexcept {
  std::uint64_t value = 0;
  for (unsigned shift = 0; cursor.ok(); shift += 7) {
    const std::uint64_t byte = cursor.u8();
    if (shift < 64) value |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return value;
}

inline std::int64_t read_sleb(ByteCursor& cursor) noexcept {
  std::uint64_t value = 0;
  unsigned shift = 0;
  std::uint64_t byte = 0x80;
  while (cursor.ok() && byte >= 0x80) {
    byte = cursor.u8();
    if (shift < 64) value |= (byte & 0x7f) << shift;
    shift += 7;
  }
  if (shift < 64 && (byte & 0x40) != 0) value |= ~std::uint64_t{0} << shift;
  return static_cast<std::int64_t>(value);
}

}  // namespace bdelta::exe
