// Finds the lists of page digests in the target that an applier can compute (delta/page_hashes.hpp).
#pragma once

#include <vector>

#include "bdelta/io.hpp"
#include "delta/page_hashes.hpp"
#include "exe/image.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// Those of the target's images that were proven right and are worth a record: sound for check_page_hashes. Images are
// those of the files.
[[nodiscard]] PageHashLists find_page_hash_lists(ByteSpan source, const std::vector<exe::Image>& source_images,
                                                 ByteSpan target, const std::vector<exe::Image>& target_images,
                                                 WorkerPool& pool);

}  // namespace bdelta
