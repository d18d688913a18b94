#include "match/source_index.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

namespace bdelta {
namespace {

constexpr std::uint64_t kScanBytes = std::uint64_t{4} << 20;  // source scanned by one task

constexpr unsigned kPartBits = 3;
constexpr std::size_t kParts = std::size_t{1} << kPartBits;  // fixed, so that the work splits alike for every thread count
constexpr std::size_t kAhead = 16;                           // samples between the fetch of a bucket and its use

struct Sample {
  std::uint64_t key;
  std::uint64_t source_pos;
};

// The samples of one stretch of the source by part, each part in order: part p is [begins[p], begins[p + 1]).
struct SampleBlock {
  std::vector<Sample> samples;
  std::array<std::size_t, kParts + 1> begins{};

  [[nodiscard]] std::span<const Sample> part(std::size_t p) const {
    return std::span(samples).subspan(begins[p], begins[p + 1] - begins[p]);
  }
};

// A run of equal hashes (periodic data) is one sample.
SampleBlock scan_block(ByteSpan source, std::uint64_t begin, std::uint64_t end, std::uint32_t threshold) {
  static const SampleScan scan = best_sample_scan();
  SampleBlock block;
  if (end + kAnchorSpan > source.size()) end = source.size() < kAnchorSpan ? 0 : source.size() - kAnchorSpan + 1;
  if (begin >= end) return block;
  std::vector<std::uint32_t> positions;
  scan(source.data() + begin, static_cast<std::uint32_t>(end - begin), threshold, positions);

  std::vector<std::uint64_t> keys(positions.size());
  std::array<std::size_t, kParts + 1> next{};
  std::size_t count = 0;
  std::uint64_t last_key = 0;
  for (const std::uint32_t offset : positions) {
    const std::uint64_t key = anchor_hash(source.data() + begin + offset);
    if (key == last_key) continue;
    last_key = key;
    keys[count] = key;
    positions[count++] = offset;
    ++next[(key >> (64 - kPartBits)) + 1];
  }
  for (std::size_t p = 1; p <= kParts; ++p) next[p] += next[p - 1];
  block.begins = next;
  block.samples.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    block.samples[next[keys[i] >> (64 - kPartBits)]++] = {keys[i], begin + positions[i]};
  }
  return block;
}

}  // namespace

void SourceIndex::insert(std::uint64_t key, std::uint64_t source_pos) noexcept {
  std::uint64_t* entry = &entries_[bucket(key)];
  for (unsigned i = 0; i < kBucketEntries; ++i) {
    if (entry[i] == 0) {
      entry[i] = (tag(key) << kPosBits) | (source_pos + 1);
      return;
    }
  }
}

void SourceIndex::build(ByteSpan source, unsigned shift, WorkerPool& pool) {
  threshold_ = static_cast<std::uint32_t>((std::uint64_t{1} << 32) >> std::max(1u, shift));
  const std::size_t block_count = static_cast<std::size_t>((source.size() + kScanBytes - 1) / kScanBytes);
  std::vector<SampleBlock> blocks(block_count);
  pool.for_each(block_count, [&](std::size_t i) {
    const std::uint64_t begin = i * kScanBytes;
    const std::uint64_t end = std::min<std::uint64_t>(begin + kScanBytes, source.size());
    const Span span(pool.timeline(), PhaseId::kIndex, i, end - begin);
    blocks[i] = scan_block(source, begin, end, threshold_);
    pool.advance(end - begin);
  });

  std::uint64_t sample_count = 0;
  for (const SampleBlock& block : blocks) sample_count += block.samples.size();
  const std::uint64_t bucket_count = std::bit_ceil(std::max<std::uint64_t>(16, sample_count / 2));
  bucket_shift_ = 64 - static_cast<unsigned>(std::countr_zero(bucket_count));
  resize_watched(entries_, static_cast<std::size_t>(bucket_count) * kBucketEntries, pool.watch());

  pool.for_each(kParts, [&](std::size_t part) {
    const Span span(pool.timeline(), PhaseId::kIndex, part);
    for (const SampleBlock& block : blocks) {
      pool.advance();
      const std::span<const Sample> samples = block.part(part);
      for (std::size_t i = 0; i < samples.size(); ++i) {
        if (i + kAhead < samples.size()) prefetch(samples[i + kAhead].key);
        insert(samples[i].key, samples[i].source_pos);
      }
    }
  });
}

}  // namespace bdelta
