// Finds the checksums of tar headers in the target that an applier can compute.
#pragma once

#include "create/found_fills.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// Where enough checksums have changed to be worth a record; nothing else.
[[nodiscard]] FoundFills find_header_sums(ByteSpan source, ByteSpan target, WorkerPool& pool);

}  // namespace bdelta
