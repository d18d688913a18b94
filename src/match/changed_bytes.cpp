#include "match/changed_bytes.hpp"

#include <atomic>
#include "match/block_compare.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kCountedPieceBytes = std::uint64_t{4} << 20;  // by one task

}  // namespace

std::uint64_t changed_bytes(ByteSpan source, ByteSpan target, const Covers& covers, const ByteRange& range) {
  std::uint64_t changed = range.end - range.begin;
  for_each_cover_in(covers, range.begin, range.end, [&](const Cover& cover, std::uint64_t from, std::uint64_t to) {
    const std::uint64_t misses =
        count_misses(source.data() + cover.source_pos + (from - cover.target_pos), target.data() + from, to - from);
    changed -= to - from - misses;
  });
  return changed;
}

std::uint64_t changed_bytes(ByteSpan source, ByteSpan target, const Covers& covers, const ByteRange& range, WorkerPool& pool) {
  const ByteRanges pieces = cut_ranges({range}, target.size(), kCountedPieceBytes);
  std::atomic<std::uint64_t> changed{0};
  pool.for_each(pieces.size(), [&](std::size_t i) {
    changed.fetch_add(changed_bytes(source, target, covers, pieces[i]), std::memory_order_relaxed);
    pool.advance();
  });
  return changed;
}

}  // namespace bdelta
