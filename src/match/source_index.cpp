#include "match/source_index.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "base/deciding/search.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kScanBytes = std::uint64_t{4} << 20;    // source scanned by one task
constexpr std::uint64_t kStepBytes = std::uint64_t{64} << 10;   // scanned at a time inside it
constexpr std::size_t kAhead = 16;  // samples between the fetch of a bucket and its use

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

void SourceIndex::insert_all(const SampleBlocks& blocks, WorkerPool& pool) {
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

// Sorts samples by the part that inserts them, each part in order.
SourceIndex::SampleBlock SourceIndex::split_by_part(const std::vector<Sample>& samples) {
  SampleBlock block;
  std::array<std::size_t, kParts + 1> next{};
  const auto part_of = [](const Sample& sample) { return static_cast<std::size_t>(sample.key >> (64 - kPartBits)); };
  for (const Sample& sample : samples) ++next[part_of(sample) + 1];
  for (std::size_t p = 1; p <= kParts; ++p) next[p] += next[p - 1];
  block.begins = next;
  block.samples.resize(samples.size());
  for (const Sample& sample : samples) block.samples[next[part_of(sample)]++] = sample;
  return block;
}

// The samples of a piece, block by block, max_samples of a block at most. A run of equal hashes (periodic data) is one
// sample.
SourceIndex::SampleBlocks SourceIndex::scan(ByteSpan piece, std::uint64_t source_pos, std::uint64_t max_samples,
                                            WorkerPool& pool) const {
  static const SampleScan scan_samples = best_sample_scan();
  const std::uint64_t stop = piece.size() < kAnchorSpan ? 0 : piece.size() - kAnchorSpan + 1;
  SampleBlocks blocks(static_cast<std::size_t>((piece.size() + kScanBytes - 1) / kScanBytes));
  pool.for_each(blocks.size(), [&](std::size_t i) {
    const std::uint64_t begin = i * kScanBytes;
    const std::uint64_t end = std::min<std::uint64_t>(begin + kScanBytes, stop);
    const Span span(pool.timeline(), PhaseId::kIndex, i, end > begin ? end - begin : 0);
    std::vector<Sample> samples;
    std::vector<std::uint32_t> offsets;
    std::uint64_t last_key = 0;
    for (std::uint64_t at = begin; at < end && samples.size() < max_samples; at += kStepBytes) {
      offsets.clear();
      scan_samples(piece.data() + at, static_cast<std::uint32_t>(std::min(kStepBytes, end - at)), threshold_, offsets);
      for (const std::uint32_t offset : offsets) {
        const std::uint64_t key = anchor_hash(piece.data() + at + offset);
        if (key != last_key) samples.push_back({key, source_pos + at + offset});
        last_key = key;
      }
    }
    blocks[i] = split_by_part(samples);
    pool.advance(end > begin ? end - begin : 0);
  });
  return blocks;
}

void SourceIndex::build(ByteSpan source, unsigned shift, WorkerPool& pool) {
  threshold_ = static_cast<std::uint32_t>((std::uint64_t{1} << 32) >> std::max(1u, shift));
  const SampleBlocks blocks = scan(source, 0, ~std::uint64_t{0}, pool);
  std::uint64_t sample_count = 0;
  for (const SampleBlock& block : blocks) sample_count += block.samples.size();
  start(shift, std::bit_ceil(std::max<std::uint64_t>(16, sample_count / 2)), pool);
  insert_all(blocks, pool);
}

void SourceIndex::start(unsigned shift, std::uint64_t bucket_count, WorkerPool& pool) {
  threshold_ = static_cast<std::uint32_t>((std::uint64_t{1} << 32) >> std::max(1u, shift));
  bucket_shift_ = 64 - static_cast<unsigned>(std::countr_zero(bucket_count));
  entries_ = filled_buffer<std::uint64_t>(static_cast<std::size_t>(bucket_count) * kBucketEntries, 0, pool);
}

void SourceIndex::add(ByteSpan piece, std::uint64_t source_pos, WorkerPool& pool) {
  const std::uint64_t expected = kScanBytes * threshold_ >> 32;
  insert_all(scan(piece, source_pos, kMostOfExpected * expected + 1, pool), pool);
}

}  // namespace bdelta
