// Finds the digests of files in lists of the target that an applier can compute.
#pragma once

#include "delta/found_fills.hpp"
#include "parallel/worker_pool.hpp"
#include "view/members.hpp"

namespace bdelta::view {

// Where enough digests have changed to be worth a record; nothing else. Those of the smallest files, which have no more
// than most_hashed_bytes together. Members are those of their view.
[[nodiscard]] FoundFills find_file_digests(ByteSpan source, const Members& source_members, ByteSpan target,
                                           const Members& target_members, std::uint64_t most_hashed_bytes, WorkerPool& pool);

}  // namespace bdelta::view
