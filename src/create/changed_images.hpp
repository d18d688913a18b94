// Which images of a pair prediction is about. In an archive of many programs most are as they were but for a date or a
// build id. Their fields lead where they led. Looking at them would take most of the time, on either side.
#pragma once

#include <cstdint>
#include <vector>

#include "bdelta/io.hpp"
#include "delta/cover.hpp"
#include "exe/image.hpp"
#include "exe/images.hpp"
#include "match/byte_range.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

struct ImagePair {
  std::vector<exe::Image> source;
  std::vector<exe::Image> target;
};

// Of the images of both files those that changed in the target, as `covers` (valid, ascending) have it, and what they may
// be copied from.
[[nodiscard]] ImagePair changed_images(ByteSpan source, std::vector<exe::Image> source_images, ByteSpan target,
                                       std::vector<exe::Image> target_images, const Covers& covers, WorkerPool& pool);

// Stretches of a target of so many bytes in which images lie, which ascend: whole windows there are predicted, as a bit of each
// says it. Those that are close to each other are one.
[[nodiscard]] ByteRanges image_ranges(const std::vector<exe::Image>& images, std::uint64_t target_size);

}  // namespace bdelta
