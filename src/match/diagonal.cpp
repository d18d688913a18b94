// Near-identical files are the commonest case of an update and the one where every table is wasted work, so before
// any index is built both files are compared in place. A stretch that holds up over kSureBytes is a cover. Where the
// diagonal fails, 64-byte blocks are probed further and further apart, so that files which do not line up cost only
// a glance. The prefix and the suffix of the files come out of the same pass.
#include "match/diagonal.hpp"

#include <algorithm>

#include "base/deciding/search.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kChunkBytes = std::uint64_t{8} << 20;

// A block whose bytes are all alike says nothing about the diagonal.
bool is_telling(const std::uint8_t* block) {
  return mismatch_mask(block, block + 1) != 0;
}

class DiagonalWalk {
 public:
  DiagonalWalk(ByteSpan source, ByteSpan target, std::int64_t diagonal, std::uint64_t sure_bytes)
      : source_(source), target_(target), diagonal_(diagonal), sure_bytes_(sure_bytes) {}

  // Appends covers within target[begin, end).
  void run(std::uint64_t begin, std::uint64_t end, Covers& covers) const {
    const std::int64_t source_size = static_cast<std::int64_t>(source_.size());
    const std::int64_t low = std::max<std::int64_t>(static_cast<std::int64_t>(begin), -diagonal_);
    const std::int64_t high = std::min<std::int64_t>(static_cast<std::int64_t>(end), source_size - diagonal_);
    if (low >= high) return;
    std::uint64_t pos = static_cast<std::uint64_t>(low);
    const std::uint64_t stop = static_cast<std::uint64_t>(high);
    std::uint64_t free_from = pos;
    std::uint64_t probe = kCompareBlock;
    while (stop - pos > kCompareBlock) {
      const std::uint8_t* t = target_.data() + pos;
      const std::uint8_t* s = at_source(pos);
      if (mismatch_mask(s, t) != 0 || !is_telling(t)) {
        pos += std::min(probe, stop - pos);
        if (probe < kMostProbeBytes) probe += probe / kProbeGrowthShare + 1;
        continue;
      }
      const Extension ahead = extend_forward(s, t, stop - pos, kStrict);
      const Extension back = extend_backward(s, t, pos - free_from, kStrict);
      if (back.length + ahead.length >= sure_bytes_) {
        const std::uint64_t start = pos - back.length;
        covers.push_back({static_cast<std::uint64_t>(static_cast<std::int64_t>(start) + diagonal_), start,
                          back.length + ahead.length});
        free_from = pos + ahead.length;
        probe = kCompareBlock;
      }
      pos += std::max<std::uint64_t>(ahead.length, kCompareBlock);
      if (pos > stop) pos = stop;
    }
    add_rest(free_from, stop, covers);
  }

 private:
  [[nodiscard]] const std::uint8_t* at_source(std::uint64_t pos) const {
    return source_.data() + (static_cast<std::int64_t>(pos) + diagonal_);
  }

  // The last bytes of a chunk are shorter than a probe; they belong to the cover before where that goes on.
  void add_rest(std::uint64_t free_from, std::uint64_t stop, Covers& covers) const {
    if (covers.empty() || covers.back().target_end() != free_from || covers.back().diagonal() != diagonal_) return;
    const Extension ahead = extend_forward(at_source(free_from), target_.data() + free_from, stop - free_from, kStrict);
    covers.back().length += ahead.length;
  }

  const ByteSpan source_;
  const ByteSpan target_;
  const std::int64_t diagonal_;
  const std::uint64_t sure_bytes_;
};

// Covers of one range, on the second diagonal only where the first left room.
class RangeWalk {
 public:
  RangeWalk(ByteSpan source, ByteSpan target) : source_(source), target_(target) {}

  void run(const AlignedRange& range, std::uint64_t sure_bytes, Covers& covers) {
    if (range.begin >= range.end) return;
    const DiagonalWalk first(source_, target_, range.from_start, sure_bytes);
    if (range.from_end == range.from_start) return first.run(range.begin, range.end, covers);
    const DiagonalWalk second(source_, target_, range.from_end, sure_bytes);
    on_first_.clear();
    first.run(range.begin, range.end, on_first_);
    std::uint64_t free_from = range.begin;
    for (const Cover& cover : on_first_) {
      second.run(free_from, cover.target_pos, covers);
      covers.push_back(cover);
      free_from = cover.target_end();
    }
    second.run(free_from, range.end, covers);
  }

 private:
  const ByteSpan source_;
  const ByteSpan target_;
  Covers on_first_;
};

}  // namespace

Covers cover_diagonals(ByteSpan source, ByteSpan target, const Diagonals& diagonals, WorkerPool& pool) {
  const std::size_t chunk_count = static_cast<std::size_t>((target.size() + kChunkBytes - 1) / kChunkBytes);
  std::vector<Covers> chunks(chunk_count);
  pool.for_each(chunk_count, [&](std::size_t i) {
    const std::uint64_t begin = i * kChunkBytes;
    const std::uint64_t end = std::min<std::uint64_t>(begin + kChunkBytes, target.size());
    const Span span(pool.timeline(), PhaseId::kCompare, i, end - begin);
    RangeWalk walk(source, target);
    auto part = std::partition_point(diagonals.parts.begin(), diagonals.parts.end(),
                                     [&](const AlignedRange& range) { return range.end <= begin; });
    std::uint64_t pos = begin;
    for (; part != diagonals.parts.end() && part->begin < end; ++part) {
      const std::uint64_t part_begin = std::max(part->begin, begin);
      const std::uint64_t part_end = std::min(part->end, end);
      walk.run({pos, part_begin, diagonals.from_start, diagonals.from_end}, kSureBytes, chunks[i]);
      walk.run({part_begin, part_end, part->from_start, part->from_end}, kSurePartBytes, chunks[i]);
      pos = part_end;
    }
    walk.run({pos, end, diagonals.from_start, diagonals.from_end}, kSureBytes, chunks[i]);
    pool.advance(end - begin);
  });
  Covers all;
  for (const Covers& chunk : chunks) all.insert(all.end(), chunk.begin(), chunk.end());
  return all;
}

}  // namespace bdelta
