// The order of words by their bytes as they stand in a file.
#pragma once

#include <cstdint>

namespace bdelta {

// The first word_bytes bytes of a word as they stand in the file, as a number to sort by; and the word of such a
// number.
[[nodiscard]] constexpr std::uint64_t word_key(std::uint64_t word, unsigned word_bytes) noexcept {
  std::uint64_t key = 0;
  for (unsigned i = 0; i < word_bytes; ++i) key = key << 8 | (word >> 8 * i & 0xff);
  return key;
}
[[nodiscard]] constexpr std::uint64_t word_of_key(std::uint64_t key, unsigned word_bytes) noexcept {
  return word_key(key, word_bytes);  // the bytes the other way round, once more
}

}  // namespace bdelta
