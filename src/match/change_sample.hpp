// Stretches of the target that stand for what changes in all of it.
#pragma once

#include "bdelta/io.hpp"
#include "delta/cover.hpp"
#include "match/byte_range.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// About sample_bytes of the target, or up to twice that where little is likely to change in those, ascending; none where nothing
// changes. Bytes count as changed where `covers` (valid, ascending) leave them free or copy others. The same for any number
// of threads.
[[nodiscard]] ByteRanges sample_changes(ByteSpan source, ByteSpan target, const Covers& covers, std::uint64_t sample_bytes,
                                        WorkerPool& pool);

}  // namespace bdelta
