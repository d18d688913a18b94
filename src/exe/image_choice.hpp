// The images of the source that a patch is about, where these are not all there are. A package of many programs has mostly
// such as are the same as before but for a date or a build id; what leaves these out needs no time for their fields, on
// either side. PREDICTION.md specifies it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "bdelta/io.hpp"

namespace bdelta::exe {

// `numbers` ascend, are at most ImageLimits::image_count and below kMostNumberedImages.
void append_image_choice(Bytes& to, std::span<const std::uint32_t> numbers);

struct ImageChoice {
  std::vector<std::uint32_t> numbers;  // as for append_image_choice
  std::size_t size_bytes = 0;          // of what was read
};

// Out of the first of these bytes; what follows them is left alone. kPatchCorrupt if they are nothing that
// append_image_choice makes.
[[nodiscard]] Result<ImageChoice> parse_image_choice(ByteSpan bytes);

}  // namespace bdelta::exe
