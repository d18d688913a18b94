// Finds the checksums of tar headers in the target that an applier can compute.
#pragma once

#include "delta/found_fills.hpp"
#include "match/byte_range.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta::view {

// Where enough checksums have changed to be worth a record; nothing else. Of archives that stand in these ranges of the views;
// blocks are counted from the beginning of each.
[[nodiscard]] FoundFills find_header_sums(ByteSpan source, const ByteRanges& source_archives, ByteSpan target,
                                          const ByteRanges& target_archives, WorkerPool& pool);

}  // namespace bdelta::view
