#include "match/anchor_table.hpp"

#include <algorithm>
#include <bit>

#include "match/block_compare.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kChunkBytes = std::uint64_t{4} << 20;  // of source or target read by one task
constexpr std::uint64_t kPieceBytes = std::uint64_t{32} << 10;  // scanned at a time: samples stay in the cache
constexpr std::uint64_t kAround = 32;                          // bytes beside a mismatch that count as failing
constexpr std::uint64_t kMaxSlots = std::uint64_t{1} << 23;    // 64 MiB

struct Range {
  std::uint64_t begin;
  std::uint64_t end;
};

void add_range(std::vector<Range>& ranges, std::uint64_t begin, std::uint64_t end) {
  if (!ranges.empty() && begin <= ranges.back().end) {
    ranges.back().end = std::max(ranges.back().end, end);
  } else {
    ranges.push_back({begin, end});
  }
}

// What fails in target[begin, end).
std::vector<Range> failing_ranges(ByteSpan source, ByteSpan target, const Covers& covers, std::uint64_t begin,
                                  std::uint64_t end) {
  std::vector<Range> ranges;
  auto cover = std::lower_bound(covers.begin(), covers.end(), begin,
                                [](const Cover& c, std::uint64_t pos) { return c.target_end() <= pos; });
  std::uint64_t pos = begin;
  for (; cover != covers.end() && cover->target_pos < end; ++cover) {
    if (cover->target_pos > pos) add_range(ranges, pos, cover->target_pos);
    pos = std::max(pos, cover->target_pos);
    const std::uint64_t stop = std::min(cover->target_end(), end);
    const std::uint8_t* s = source.data() + (static_cast<std::int64_t>(pos) + cover->diagonal());
    const std::uint8_t* t = target.data() + pos;
    const std::uint64_t length = stop - pos;
    std::uint64_t at = 0;
    for (; length - at >= kCompareBlock; at += kCompareBlock) {
      const std::uint64_t mask = mismatch_mask(s + at, t + at);
      if (mask == 0) continue;
      const std::uint64_t first = pos + at + static_cast<unsigned>(std::countr_zero(mask));
      const std::uint64_t last = pos + at + 63 - static_cast<unsigned>(std::countl_zero(mask));
      add_range(ranges, first - std::min(first - begin, kAround), std::min(last + kAround, end));
    }
    pos = stop;
  }
  if (pos < end) add_range(ranges, pos, end);
  return ranges;
}

}  // namespace

std::uint64_t AnchorTable::note_failing_keys(ByteSpan source, ByteSpan target, const Covers& covers, unsigned shift,
                                             WorkerPool& pool) {
  const auto chunk_count = static_cast<std::size_t>((target.size() + kChunkBytes - 1) / kChunkBytes);
  std::vector<std::vector<Range>> failing(chunk_count);
  pool.for_each(chunk_count, [&](std::size_t i) {
    const std::uint64_t begin = i * kChunkBytes;
    const std::uint64_t end = std::min<std::uint64_t>(begin + kChunkBytes, target.size());
    const Span span(pool.timeline(), PhaseId::kParse, i, end - begin);
    failing[i] = failing_ranges(source, target, covers, begin, end);
    pool.advance(end - begin);
  });
  std::uint64_t failing_bytes = 0;
  for (const auto& ranges : failing) {
    for (const Range& range : ranges) failing_bytes += range.end - range.begin;
  }
  // Where little fails in much, fewer samples do: reading the source is then nearly all of the work.
  const unsigned sparser = failing_bytes < source.size() / 1024 ? 2 : failing_bytes < source.size() / 64 ? 1 : 0;
  threshold_ = static_cast<std::uint32_t>((std::uint64_t{1} << 32) >> std::max(1u, shift + sparser));

  std::vector<std::vector<std::uint64_t>> keys(chunk_count);
  pool.for_each(chunk_count, [&](std::size_t i) {
    const Span span(pool.timeline(), PhaseId::kParse, i);
    const SampleScan scan = best_sample_scan();
    std::vector<std::uint32_t> samples;
    for (const Range& range : failing[i]) {
      if (range.begin + kKeyBytes > target.size()) continue;
      const std::uint64_t stop = std::min<std::uint64_t>(range.end, target.size() - kKeyBytes + 1);
      if (range.begin >= stop) continue;
      samples.clear();
      scan(target.data() + range.begin, static_cast<std::uint32_t>(stop - range.begin), threshold_, samples);
      for (const std::uint32_t offset : samples) keys[i].push_back(key_of(target.data() + range.begin + offset));
    }
  });
  std::uint64_t count = 0;
  for (const auto& chunk : keys) count += chunk.size();
  const std::uint64_t words = std::bit_ceil(std::clamp<std::uint64_t>(count / 4, 1 << 10, std::uint64_t{1} << 23));
  filter_shift_ = 64 - static_cast<unsigned>(std::countr_zero(words));
  resize_watched(filter_, static_cast<std::size_t>(words), pool.watch());
  for (const auto& chunk : keys) {
    for (const std::uint64_t key : chunk) filter_[static_cast<std::size_t>(key >> filter_shift_)] |= filter_bits(key);
  }
  return count;
}

void AnchorTable::insert(std::uint64_t key, std::uint64_t source_pos) noexcept {
  std::uint64_t* way = &slots_[bucket(key)];
  for (unsigned i = 0; i < kWays; ++i) {
    if (way[i] == 0) {
      way[i] = (key & kTagMask) << kPosBits | (source_pos + 1);
      return;
    }
  }
}

void AnchorTable::build(ByteSpan source, ByteSpan target, const Covers& covers, unsigned shift, WorkerPool& pool) {
  if (source.size() < kKeyBytes || note_failing_keys(source, target, covers, shift, pool) == 0) return;

  struct Found {
    std::uint64_t key;
    std::uint64_t source_pos;
  };
  const std::uint64_t positions = source.size() - kKeyBytes + 1;
  const auto chunk_count = static_cast<std::size_t>((positions + kChunkBytes - 1) / kChunkBytes);
  std::vector<std::vector<Found>> found(chunk_count);
  pool.for_each(chunk_count, [&](std::size_t i) {
    const std::uint64_t begin = i * kChunkBytes;
    const std::uint64_t end = std::min<std::uint64_t>(begin + kChunkBytes, positions);
    const Span span(pool.timeline(), PhaseId::kParse, i, end - begin);
    const SampleScan scan = best_sample_scan();
    std::vector<std::uint32_t> samples;
    std::uint64_t last_key = 0;
    for (std::uint64_t piece = begin; piece < end; piece += kPieceBytes) {
      samples.clear();
      scan(source.data() + piece, static_cast<std::uint32_t>(std::min(kPieceBytes, end - piece)), threshold_, samples);
      for (const std::uint32_t offset : samples) {
        const std::uint64_t key = key_of(source.data() + piece + offset);
        const bool known = (~filter_[static_cast<std::size_t>(key >> filter_shift_)] & filter_bits(key)) == 0;
        if (known && key != last_key) found[i].push_back({key, piece + offset});
        last_key = key;
      }
    }
    pool.advance(end - begin);
  });
  std::uint64_t count = 0;
  for (const auto& chunk : found) count += chunk.size();
  const std::uint64_t slots = std::bit_ceil(std::clamp<std::uint64_t>(count * 2, 1024, kMaxSlots));
  slot_shift_ = 64 - static_cast<unsigned>(std::countr_zero(slots / kWays));
  resize_watched(slots_, static_cast<std::size_t>(slots), pool.watch());
  for (const auto& chunk : found) {
    for (const Found& one : chunk) insert(one.key, one.source_pos);
  }
  filter_.clear();
  filter_.shrink_to_fit();
}

}  // namespace bdelta
