#include "match/anchor_table.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "base/deciding/parse.hpp"
#include "match/block_compare.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kChunkBytes = std::uint64_t{4} << 20;  // of target read by one task
constexpr unsigned kChunkLog = 19;
constexpr std::uint64_t kSourceChunkBytes = std::uint64_t{1} << kChunkLog;  // of source read by one task
constexpr std::uint64_t kPieceBytes = std::uint64_t{32} << 10;  // scanned at a time: samples stay in the cache
constexpr std::uint64_t kMaxSlots = std::uint64_t{1} << 23;    // 64 MiB
constexpr std::uint64_t kMaxFilterWords = std::uint64_t{1} << 23;  // 64 MiB
constexpr std::uint64_t kBoundedChunk = kPieceBytes;           // read by one task under a limit of memory
constexpr std::uint64_t kBoundedTask = 32 * kBoundedChunk;     // bytes of what one such task finds, at most
constexpr std::size_t kBatch = 256;  // keys whose filter words are fetched before the first is asked

// A place of the source on its way to the table: what the table needs of its key, and the offset in its task.
constexpr std::uint64_t kBucketMask = ~std::uint64_t{0} << 43;  // the high bits: 2^21 buckets at most
static_assert(kMaxSlots / AnchorTable::kWays <= std::uint64_t{1} << 21);

// So many tasks at a time that what they find fits a quarter of the memory even if every position is a sample.
std::size_t tasks_at_a_time(const AnchorScope& scope, std::size_t task_count) {
  if (scope.memory_bytes == 0) return std::max<std::size_t>(1, task_count);
  return static_cast<std::size_t>(std::max<std::uint64_t>(1, scope.memory_bytes / 4 / kBoundedTask));
}

void add_range(ByteRanges& ranges, std::uint64_t begin, std::uint64_t end) {
  if (!ranges.empty() && begin <= ranges.back().end) {
    ranges.back().end = std::max(ranges.back().end, end);
  } else {
    ranges.push_back({begin, end});
  }
}

// What fails in target[begin, end).
ByteRanges failing_ranges(ByteSpan source, ByteSpan target, const Covers& covers, std::uint64_t begin,
                                  std::uint64_t end) {
  ByteRanges ranges;
  std::uint64_t pos = begin;
  for_each_cover_in(covers, begin, end, [&](const Cover& cover, std::uint64_t from, std::uint64_t to) {
    if (from > pos) add_range(ranges, pos, from);
    const std::uint8_t* s = source.data() + (static_cast<std::int64_t>(from) + cover.diagonal());
    const std::uint8_t* t = target.data() + from;
    for (std::uint64_t at = 0; to - from - at >= kCompareBlock; at += kCompareBlock) {
      const std::uint64_t mask = mismatch_mask(s + at, t + at);
      if (mask == 0) continue;
      const std::uint64_t first = from + at + static_cast<unsigned>(std::countr_zero(mask));
      const std::uint64_t last = from + at + 63 - static_cast<unsigned>(std::countl_zero(mask));
      add_range(ranges, first - std::min(first - begin, kAnchorMarginBytes), std::min(last + kAnchorMarginBytes, end));
    }
    pos = to;
  });
  if (pos < end) add_range(ranges, pos, end);
  return ranges;
}

}  // namespace

std::uint64_t AnchorTable::note_failing_keys(ByteSpan source, ByteSpan target, const Covers& covers, unsigned shift,
                                             std::uint64_t read_bytes, WorkerPool& pool, const AnchorScope& scope) {
  const bool bounded = scope.memory_bytes != 0;
  const std::uint64_t chunk_bytes = bounded ? kBoundedChunk : kChunkBytes;
  const auto chunk_count = static_cast<std::size_t>((target.size() + chunk_bytes - 1) / chunk_bytes);
  std::vector<ByteRanges> failing(chunk_count);
  pool.for_each(chunk_count, [&](std::size_t i) {
    const std::uint64_t begin = i * chunk_bytes;
    const std::uint64_t end = std::min<std::uint64_t>(begin + chunk_bytes, target.size());
    const Span span(pool.timeline(), PhaseId::kParse, i, end - begin);
    failing[i] = failing_ranges(source, target, covers, begin, end);
    pool.advance(end - begin);
  });
  std::uint64_t failing_bytes = 0;
  for (const auto& ranges : failing) {
    for (const ByteRange& range : ranges) failing_bytes += range.end - range.begin;
  }
  // Where little fails in much, fewer samples do: reading the source is then nearly all of the work.
  const unsigned sparser = failing_bytes < read_bytes / kSparserShare ? 2 : failing_bytes < read_bytes / kSparseShare ? 1 : 0;
  threshold_ = static_cast<std::uint32_t>((std::uint64_t{1} << 32) >> std::max(1u, shift + sparser));

  if (bounded) make_filter(failing_bytes * threshold_ >> 32, scope, pool);

  std::uint64_t count = 0;
  const std::size_t round = tasks_at_a_time(scope, chunk_count);
  for (std::size_t begin = 0; begin < chunk_count; begin += round) {
    const auto keys = sampled_keys(target, std::span(failing).subspan(begin, std::min(round, chunk_count - begin)), pool);
    for (const auto& chunk : keys) count += chunk.size();
    if (!bounded) make_filter(count, scope, pool);
    for_each_table_part(pool, filter_.size(), [&](const TablePart& part) {
      for (const auto& chunk : keys) {
        note_keys(chunk, part);
        pool.advance();
      }
    });
  }
  return count;
}

// The keys of failing places, by task.
std::vector<std::vector<std::uint64_t>> AnchorTable::sampled_keys(ByteSpan target,
                                                                  std::span<const ByteRanges> failing,
                                                                  WorkerPool& pool) const {
  std::vector<std::vector<std::uint64_t>> keys(failing.size());
  pool.for_each(failing.size(), [&](std::size_t i) {
    const Span span(pool.timeline(), PhaseId::kParse, i);
    const SampleScan scan = best_sample_scan();
    std::vector<std::uint32_t> samples;
    for (const ByteRange& range : failing[i]) {
      if (range.begin + kKeyBytes > target.size()) continue;
      const std::uint64_t stop = std::min<std::uint64_t>(range.end, target.size() - kKeyBytes + 1);
      if (range.begin >= stop) continue;
      samples.clear();
      scan(target.data() + range.begin, static_cast<std::uint32_t>(stop - range.begin), threshold_, samples);
      for (const std::uint32_t offset : samples) keys[i].push_back(key_of(target.data() + range.begin + offset));
    }
  });
  return keys;
}

void AnchorTable::note_keys(const std::vector<std::uint64_t>& keys, const TablePart& part) noexcept {
  const auto slot_of = [&](std::size_t i) { return keys[i] >> filter_shift_; };
  for_own_items(
      part, keys.size(), slot_of, [&](std::size_t i) { prefetch_line(&filter_[static_cast<std::size_t>(slot_of(i))]); },
      [&](std::size_t i) { filter_[static_cast<std::size_t>(slot_of(i))] |= filter_bits(keys[i]); });
}

void AnchorTable::make_filter(std::uint64_t key_count, const AnchorScope& scope, WorkerPool& pool) {
  std::uint64_t words = std::bit_ceil(std::clamp<std::uint64_t>(key_count / 4, 1 << 10, kMaxFilterWords));
  if (scope.memory_bytes != 0) words = std::min(words, std::bit_floor(scope.memory_bytes / 4 / sizeof(std::uint64_t)));
  filter_shift_ = 64 - static_cast<unsigned>(std::countr_zero(words));
  filter_ = filled_buffer<std::uint64_t>(static_cast<std::size_t>(words), 0, pool);
}

void AnchorTable::make_table(std::uint64_t slot_count, WorkerPool& pool) {
  slot_shift_ = 64 - static_cast<unsigned>(std::countr_zero(slot_count / kWays));
  slots_ = filled_buffer<std::uint64_t>(static_cast<std::size_t>(slot_count), 0, pool);
}

void AnchorTable::insert(std::uint64_t place, std::uint64_t task_begin) noexcept {
  std::uint64_t* way = &slots_[bucket(place)];
  for (unsigned i = 0; i < kWays; ++i) {
    if (way[i] == 0) {
      way[i] = (place >> kChunkLog & kTagMask) << kPosBits | (task_begin + (place & (kSourceChunkBytes - 1)) + 1);
      return;
    }
  }
}

void AnchorTable::insert_places(const std::vector<std::uint64_t>& places, std::uint64_t task_begin,
                                const TablePart& part) noexcept {
  for_own_items(
      part, places.size(), [&](std::size_t i) { return places[i] >> slot_shift_; },
      [&](std::size_t i) { prefetch_line(&slots_[bucket(places[i])]); },
      [&](std::size_t i) { insert(places[i], task_begin); });
}

// Appends the places of source[begin, end), at most kSourceChunkBytes, whose key the filter knows.
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

// The source places that the filter knows, by task.
std::vector<std::vector<std::uint64_t>> AnchorTable::known_places(ByteSpan source, std::span<const ByteRange> tasks,
                                                                  WorkerPool& pool) const {
  std::vector<std::vector<std::uint64_t>> found(tasks.size());
  pool.for_each(tasks.size(), [&](std::size_t i) {
    const auto [begin, end] = tasks[i];
    const Span span(pool.timeline(), PhaseId::kParse, i, end - begin);
    filter_source(source, begin, end, found[i]);
    pool.advance(end - begin);
  });
  return found;
}

// Without a limit all places are found first and the table fits their number. With a limit it has half of the memory at
// most, and no more than four slots a key.
void AnchorTable::build(ByteSpan source, ByteSpan target, const Covers& covers, unsigned shift, WorkerPool& pool,
                        const AnchorScope& scope) {
  if (source.size() < kKeyBytes) return;
  const bool bounded = scope.memory_bytes != 0;
  const ByteRanges tasks =
      cut_ranges(scope.ranges, source.size() - kKeyBytes + 1, bounded ? kBoundedChunk : kSourceChunkBytes);
  const std::uint64_t read_bytes = scope.ranges.empty() ? source.size() : total_bytes(scope.ranges);
  const std::uint64_t key_count = note_failing_keys(source, target, covers, shift, read_bytes, pool, scope);
  if (key_count == 0) return;

  const auto slots_for = [](std::uint64_t count) {
    return std::bit_ceil(std::clamp<std::uint64_t>(count, 1024, kMaxSlots));
  };
  if (bounded) {
    const std::uint64_t most = std::bit_floor(scope.memory_bytes / 2 / sizeof(std::uint64_t));
    make_table(std::min(most, slots_for(key_count * 4)), pool);
  }
  const std::size_t round = tasks_at_a_time(scope, tasks.size());
  for (std::size_t begin = 0; begin < tasks.size(); begin += round) {
    const auto found = known_places(source, std::span(tasks).subspan(begin, std::min(round, tasks.size() - begin)), pool);
    if (!bounded) {
      std::uint64_t count = 0;
      for (const auto& places : found) count += places.size();
      make_table(slots_for(count * 2), pool);
    }
    for_each_table_part(pool, slots_.size() / kWays, [&](const TablePart& part) {
      for (std::size_t i = 0; i < found.size(); ++i) {
        insert_places(found[i], tasks[begin + i].begin, part);
        pool.advance();
      }
    });
  }
  filter_ = {};
}

}  // namespace bdelta
