// What sections of an image are called, for people.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "exe/image.hpp"

namespace bdelta::exe {

struct NamedSection {
  std::string name;              // as in the image: ".text", "__TEXT,__text"; any bytes
  std::uint64_t file_pos = 0;    // in the whole file
  std::uint64_t size_bytes = 0;  // inside the image, more than 0
};

// Those with bytes in the file, in its order, disjoint: of two that overlap the first in the table. Empty for an image without
// names.
[[nodiscard]] std::vector<NamedSection> name_sections(ByteSpan file, const Image& image);

}  // namespace bdelta::exe
