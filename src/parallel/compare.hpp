// Comparing by all threads.
#pragma once

#include <algorithm>
#include <atomic>

#include "base/bytes.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// How many bytes differ; both are of one size. Looks at the watch of the pool every few milliseconds.
inline std::uint64_t count_differing(ByteSpan a, ByteSpan b, WorkerPool& pool) {
  constexpr std::size_t kComparedPieceBytes = std::size_t{4} << 20;
  if (a.size() <= kComparedPieceBytes) return count_differing(a, b);
  std::atomic<std::uint64_t> count{0};
  pool.for_each((a.size() + kComparedPieceBytes - 1) / kComparedPieceBytes, [&](std::size_t piece) {
    const std::size_t begin = piece * kComparedPieceBytes;
    const std::size_t size = std::min(kComparedPieceBytes, a.size() - begin);
    count.fetch_add(count_differing(a.subspan(begin, size), b.subspan(begin, size)), std::memory_order_relaxed);
  });
  return count;
}

}  // namespace bdelta
