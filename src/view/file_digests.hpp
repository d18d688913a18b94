// Finds the digests in lists of the target that an applier can compute.
#pragma once

#include "delta/found_fills.hpp"
#include "parallel/worker_pool.hpp"
#include "view/members.hpp"

namespace bdelta::view {

// Those that have changed, where they are enough to be worth a record; nothing else. A digest may take apply_byte_ns
// nominal nanoseconds of applying for each byte that it saves; 0: any. What is found goes behind the fills `before`. Members
// are those of their view.
[[nodiscard]] FoundFills find_file_digests(ByteSpan source, const Members& source_members, ByteSpan target,
                                           const Members& target_members, const Fills& before, std::uint64_t apply_byte_ns,
                                           WorkerPool& pool);

}  // namespace bdelta::view
