// The order of words by their bytes as they stand in a file.
#pragma once

#include <cstdint>

namespace bdelta {

// A word's bytes the other way round: a number to sort words by as they stand in the file, and the word of such a number.
[[nodiscard]] constexpr std::uint32_t word_key(std::uint32_t word) noexcept {
  return word << 24 | (word & 0xff00u) << 8 | (word >> 8 & 0xff00u) | word >> 24;
}

}  // namespace bdelta
