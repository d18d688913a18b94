// Where the images of the source stand that a patch is about. A package of many programs has mostly such as are the same
// as before but for a date or a build id. Leaving these out saves the time for their fields, on either side.
// PREDICTION.md specifies it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "bdelta/io.hpp"
#include "exe/images.hpp"

namespace bdelta::exe {

// Of images that ascend and are disjoint.
void append_image_extents(Bytes& to, std::span<const Image> images);

struct ImageExtents {
  std::vector<ImageExtent> all;  // ascending, disjoint, none empty
  std::size_t size_bytes = 0;   // of what was read
};

// Out of the first of these bytes; what follows them is left alone. kPatchCorrupt if they are nothing that
// append_image_extents makes, if an extent lies outside of a source of source_size bytes, or if there are more than
// `most`.
[[nodiscard]] Result<ImageExtents> parse_image_extents(ByteSpan bytes, std::uint64_t source_size, std::size_t most);

}  // namespace bdelta::exe
