// Whether programs of a pair are worth a thought, before anything large is made for them.
#pragma once

#include <vector>

#include "bdelta/io.hpp"
#include "exe/image.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// True if enough of the target, and of that enough in its images, differs from what a fast search finds of the source.
[[nodiscard]] bool is_prediction_worth_it(ByteSpan source, ByteSpan target, const std::vector<exe::Image>& images,
                                          WorkerPool& pool);

}  // namespace bdelta
