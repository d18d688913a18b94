// The images of the target in a patch, as what differs from those of the source.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "bdelta/io.hpp"
#include "exe/predict.hpp"

namespace bdelta::exe {

// A byte for each image that is as one of the source. Images as find_images gives them.
void append_image_table(Bytes& to, const Images& source, const Images& target);

// The images again. kPatchCorrupt if the bytes are nothing that append_image_table makes, or if there are more images than
// `most`. Likewise if the images are not ascending and disjoint parts of a file of target_size bytes, within ImageLimits
// and with consistent sections.
[[nodiscard]] Result<std::vector<Image>> parse_image_table(ByteSpan bytes, const Images& source,
                                                           std::uint64_t target_size, std::size_t most);

}  // namespace bdelta::exe
