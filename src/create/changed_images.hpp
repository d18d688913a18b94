// Which images of a pair prediction is about. In an archive of many programs most are as they were but for a date or a
// build id; their fields lead where they led, and looking at them would take most of the time, on either side.
#pragma once

#include <cstdint>
#include <vector>

#include "bdelta/io.hpp"
#include "delta/cover.hpp"
#include "exe/image.hpp"
#include "exe/images.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// How far images are looked for where only those that changed count.
inline constexpr exe::ImageLimits kManyImages{exe::kMostNumberedImages, 4096, std::size_t{1} << 18};

struct ImagePair {
  std::vector<exe::Image> source;
  std::vector<exe::Image> target;
  std::vector<std::uint32_t> source_numbers{};  // of those of `source`, among all there are
};

// Of the images of both files, found within kManyImages, those that changed in the target, as `covers` (valid, ascending)
// have it, and what they may be copied from. At most as many of each as a patch can be about.
[[nodiscard]] ImagePair changed_images(ByteSpan source, std::vector<exe::Image> source_images, ByteSpan target,
                                       std::vector<exe::Image> target_images, const Covers& covers, WorkerPool& pool);

}  // namespace bdelta
