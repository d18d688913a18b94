// The order of patterns by their bytes as they stand in a file.
#pragma once

#include <cstdint>

namespace bdelta {

// A pattern's bytes the other way round: a number to sort patterns by as they stand in the file, and the pattern of
// such a number.
[[nodiscard]] constexpr std::uint32_t pattern_key(std::uint32_t pattern) noexcept {
  return pattern << 24 | (pattern & 0xff00u) << 8 | (pattern >> 8 & 0xff00u) | pattern >> 24;
}

}  // namespace bdelta
