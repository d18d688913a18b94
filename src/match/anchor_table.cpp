#include "match/anchor_table.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "match/block_compare.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kChunkBytes = std::uint64_t{4} << 20;  // of target read by one task
constexpr unsigned kChunkLog = 19;
constexpr std::uint64_t kSourceChunkBytes = std::uint64_t{1} << kChunkLog;  // of source read by one task
constexpr std::uint64_t kPieceBytes = std::uint64_t{32} << 10;  // scanned at a time: samples stay in the cache
constexpr std::uint64_t kAround = 32;                          // bytes beside a mismatch that count as failing
constexpr std::uint64_t kMaxSlots = std::uint64_t{1} << 23;    // 64 MiB
constexpr std::size_t kBatch = 256;  // keys whose filter words are fetched before the first is asked
constexpr std::size_t kAhead = 16;   // keys between the fetch of a word or bucket and its use

// A place of the source on its way to the table: what the table needs of its key, and the offset in its chunk.
constexpr std::uint64_t kBucketMask = ~std::uint64_t{0} << 43;  // the high bits: 2^21 buckets at most
static_assert(kMaxSlots / AnchorTable::kWays <= std::uint64_t{1} << 21);

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
  const auto word = [&](std::uint64_t key) { return &filter_[static_cast<std::size_t>(key >> filter_shift_)]; };
  for (const auto& chunk : keys) {
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      if (i + kAhead < chunk.size()) prefetch_line(word(chunk[i + kAhead]));
      *word(chunk[i]) |= filter_bits(chunk[i]);
    }
  }
  return count;
}

void AnchorTable::insert(std::uint64_t place, std::uint64_t chunk_begin) noexcept {
  std::uint64_t* way = &slots_[bucket(place)];
  for (unsigned i = 0; i < kWays; ++i) {
    if (way[i] == 0) {
      way[i] = (place >> kChunkLog & kTagMask) << kPosBits | (chunk_begin + (place & (kSourceChunkBytes - 1)) + 1);
      return;
    }
  }
}

// Appends the places of source[begin, end) whose key the filter knows; begin is a multiple of kSourceChunkBytes.
void AnchorTable::filter_source(ByteSpan source, std::uint64_t begin, std::uint64_t end,
                                std::vector<std::uint64_t>& found) const {
  const SampleScan scan = best_sample_scan();
  std::vector<std::uint32_t> samples;
  std::array<std::uint64_t, kBatch> keys;
  std::array<std::uint64_t, kBatch> passed;
  std::uint64_t last_key = 0;
  for (std::uint64_t piece = begin; piece < end; piece += kPieceBytes) {
    samples.clear();
    scan(source.data() + piece, static_cast<std::uint32_t>(std::min(kPieceBytes, end - piece)), threshold_, samples);
    for (std::size_t first = 0; first < samples.size(); first += kBatch) {
      const std::size_t count = std::min(kBatch, samples.size() - first);
      for (std::size_t i = 0; i < count; ++i) {
        keys[i] = key_of(source.data() + piece + samples[first + i]);
        prefetch_line(&filter_[static_cast<std::size_t>(keys[i] >> filter_shift_)]);
      }
      // Whether a key is known can't be predicted: each place is stored, and stays if the next goes behind it.
      std::size_t passed_count = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t key = keys[i];
        passed[passed_count] =
            (key & kBucketMask) | (key & kTagMask) << kChunkLog | (piece - begin + samples[first + i]);
        const bool known = (~filter_[static_cast<std::size_t>(key >> filter_shift_)] & filter_bits(key)) == 0;
        passed_count += static_cast<unsigned>(known) & static_cast<unsigned>(key != last_key);
        last_key = key;
      }
      found.insert(found.end(), passed.begin(), passed.begin() + static_cast<std::ptrdiff_t>(passed_count));
    }
  }
}

void AnchorTable::build(ByteSpan source, ByteSpan target, const Covers& covers, unsigned shift, WorkerPool& pool) {
  if (source.size() < kKeyBytes || note_failing_keys(source, target, covers, shift, pool) == 0) return;

  const std::uint64_t positions = source.size() - kKeyBytes + 1;
  const auto chunk_count = static_cast<std::size_t>((positions + kSourceChunkBytes - 1) / kSourceChunkBytes);
  std::vector<std::vector<std::uint64_t>> found(chunk_count);
  pool.for_each(chunk_count, [&](std::size_t i) {
    const std::uint64_t begin = i * kSourceChunkBytes;
    const std::uint64_t end = std::min<std::uint64_t>(begin + kSourceChunkBytes, positions);
    const Span span(pool.timeline(), PhaseId::kParse, i, end - begin);
    filter_source(source, begin, end, found[i]);
    pool.advance(end - begin);
  });
  std::uint64_t count = 0;
  for (const auto& chunk : found) count += chunk.size();
  const std::uint64_t slots = std::bit_ceil(std::clamp<std::uint64_t>(count * 2, 1024, kMaxSlots));
  slot_shift_ = 64 - static_cast<unsigned>(std::countr_zero(slots / kWays));
  resize_watched(slots_, static_cast<std::size_t>(slots), pool.watch());
  for (std::size_t chunk = 0; chunk < found.size(); ++chunk) {
    const std::vector<std::uint64_t>& places = found[chunk];
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (i + kAhead < places.size()) prefetch_line(&slots_[bucket(places[i + kAhead])]);
      insert(places[i], chunk * kSourceChunkBytes);
    }
  }
  filter_.clear();
  filter_.shrink_to_fit();
}

}  // namespace bdelta
