#include "match/source_index.hpp"

#include <algorithm>
#include <bit>

namespace bdelta {
namespace {

constexpr std::uint64_t kScanBytes = std::uint64_t{4} << 20;  // source scanned by one task

struct Sample {
  std::uint64_t key;
  std::uint64_t source_pos;
};

// The samples of one stretch of the source, in order. A run of equal hashes (periodic data) is one sample.
std::vector<Sample> scan_block(ByteSpan source, std::uint64_t begin, std::uint64_t end, std::uint32_t threshold) {
  static const SampleScan scan = best_sample_scan();
  std::vector<Sample> samples;
  if (end + kAnchorSpan > source.size()) end = source.size() < kAnchorSpan ? 0 : source.size() - kAnchorSpan + 1;
  if (begin >= end) return samples;
  std::vector<std::uint32_t> positions;
  scan(source.data() + begin, static_cast<std::uint32_t>(end - begin), threshold, positions);
  samples.reserve(positions.size());
  std::uint64_t last_key = 0;
  for (const std::uint32_t offset : positions) {
    const std::uint64_t key = anchor_hash(source.data() + begin + offset);
    if (key != last_key) samples.push_back({key, begin + offset});
    last_key = key;
  }
  return samples;
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
  std::vector<std::vector<Sample>> blocks(block_count);
  pool.for_each(block_count, [&](std::size_t i) {
    const std::uint64_t begin = i * kScanBytes;
    const std::uint64_t end = std::min<std::uint64_t>(begin + kScanBytes, source.size());
    const Span span(pool.timeline(), PhaseId::kIndex, i, end - begin);
    blocks[i] = scan_block(source, begin, end, threshold_);
    pool.advance(end - begin);
  });

  std::uint64_t sample_count = 0;
  for (const auto& block : blocks) sample_count += block.size();
  const std::uint64_t bucket_count = std::bit_ceil(std::max<std::uint64_t>(16, sample_count / 2));
  bucket_shift_ = 64 - static_cast<unsigned>(std::countr_zero(bucket_count));
  resize_watched(entries_, static_cast<std::size_t>(bucket_count) * kBucketEntries, pool.watch());

  constexpr std::uint64_t kParts = 8;  // fixed, so that the work splits alike for every thread count
  pool.for_each(kParts, [&](std::size_t part) {
    const Span span(pool.timeline(), PhaseId::kIndex, part);
    for (const auto& block : blocks) {
      pool.advance();
      for (const Sample& sample : block) {
        if ((sample.key >> 61) == part) insert(sample.key, sample.source_pos);
      }
    }
  });
}

}  // namespace bdelta
