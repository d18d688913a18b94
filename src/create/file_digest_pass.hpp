// Finds the digests of files in lists of the target that an applier can compute.
#pragma once

#include "create/found_fills.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// Where enough digests have changed to be worth a record; nothing else. Those of the smallest files, which have no more
// than most_hashed_bytes together.
[[nodiscard]] FoundFills find_file_digests(ByteSpan source, ByteSpan target, std::uint64_t most_hashed_bytes,
                                           WorkerPool& pool);

}  // namespace bdelta
