// Finds the checksums of tar headers in the target that an applier can compute.
#pragma once

#include "delta/found_fills.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta::view {

// Where enough checksums have changed to be worth a record; nothing else. Of archives whose blocks are counted from
// source_begin and target_begin on, within the views.
[[nodiscard]] FoundFills find_header_sums(ByteSpan source, std::uint64_t source_begin, ByteSpan target,
                                          std::uint64_t target_begin, WorkerPool& pool);

}  // namespace bdelta::view
