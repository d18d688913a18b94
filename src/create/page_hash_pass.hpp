// Finds the lists of page digests in the target that an applier can compute.
#pragma once

#include <vector>

#include "bdelta/io.hpp"
#include "delta/found_fills.hpp"
#include "exe/image.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// Those of the target's images that are worth a record. Images are those of the files.
[[nodiscard]] FoundFills find_page_digests(ByteSpan source, const std::vector<exe::Image>& source_images, ByteSpan target,
                                           const std::vector<exe::Image>& target_images, WorkerPool& pool);

}  // namespace bdelta
