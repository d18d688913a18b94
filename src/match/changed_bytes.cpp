#include "match/changed_bytes.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

#include "base/bytes.hpp"
#include "match/block_compare.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kCountedPieceBytes = std::uint64_t{4} << 20;  // by one task

// Most blocks are equal.
std::uint64_t count_misses(const std::uint8_t* a, const std::uint8_t* b, std::size_t size) {
  std::uint64_t count = 0;
  std::size_t at = 0;
  for (; size - at >= kCompareBlock; at += kCompareBlock) {
    if (const std::uint64_t mask = mismatch_mask(a + at, b + at); mask != 0) count += static_cast<unsigned>(std::popcount(mask));
  }
  return count + count_differing({a + at, size - at}, {b + at, size - at});
}

}  // namespace

std::uint64_t changed_bytes(ByteSpan source, ByteSpan target, const Covers& covers, const ByteRange& range) {
  std::uint64_t changed = range.end - range.begin;
  auto cover = std::lower_bound(covers.begin(), covers.end(), range.begin,
                                [](const Cover& c, std::uint64_t pos) { return c.target_end() <= pos; });
  for (; cover != covers.end() && cover->target_pos < range.end; ++cover) {
    const std::uint64_t from = std::max(range.begin, cover->target_pos);
    const auto length = static_cast<std::size_t>(std::min(range.end, cover->target_end()) - from);
    changed -= length - count_misses(source.data() + cover->source_pos + (from - cover->target_pos), target.data() + from, length);
  }
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
