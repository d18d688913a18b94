// The toy image: a text that can be read and written by hand, so that what works on images is tested and fuzzed with
// small files. Lines end with a line feed; numbers are hexadecimal.
//
//   ~toy-image
//   code ADDRESS SIZE          bytes in the file and in memory
//   data ADDRESS SIZE
//   unbacked ADDRESS SIZE      memory only
//   end
//
// The bytes of its sections follow in the order of the lines. A data section is a table of absolute pointers of
// 64 bits, and words that lead nowhere are plain.
#pragma once

#include <array>
#include <optional>

#include "exe/images.hpp"

namespace bdelta::exe {

inline constexpr std::array<std::uint8_t, 11> kToyMagic{'~', 't', 'o', 'y', '-', 'i', 'm', 'a', 'g', 'e', '\n'};

[[nodiscard]] bool detect_toy(ByteSpan file, std::uint64_t pos) noexcept;
[[nodiscard]] std::optional<Image> parse_toy(ByteSpan file, std::uint64_t pos, const ImageLimits& limits);

}  // namespace bdelta::exe
