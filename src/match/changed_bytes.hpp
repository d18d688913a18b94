// How much of a target covers don't tell.
#pragma once

#include "bdelta/io.hpp"
#include "delta/cover.hpp"
#include "match/byte_range.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// Bytes of target[range) that `covers` (valid, ascending) leave free, or copy others for.
[[nodiscard]] std::uint64_t changed_bytes(ByteSpan source, ByteSpan target, const Covers& covers, const ByteRange& range);

// The same by all threads.
[[nodiscard]] std::uint64_t changed_bytes(ByteSpan source, ByteSpan target, const Covers& covers, const ByteRange& range,
                                          WorkerPool& pool);

}  // namespace bdelta
