// The global index: sampled positions of the source, found again by the 32 bytes that stand there.
//
// A power of two of buckets, four entries each (one half of a cache line). An entry packs the position (40 bits) and a
// tag (24 bits of the key). So a lookup touches one line and rejects strangers without touching the source. The first
// four of a bucket stay: content that repeats without end can't push out the rest, and a lookup does bounded work.
// Building splits the buckets between the threads by the top bit of the key; each inserts in source order, so the table
// is the same for any number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/prefetch.hpp"
#include "match/sample_hash.hpp"
#include "parallel/large_buffer.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

inline constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 40;  // what an index entry can name

class SourceIndex {
 public:
  static constexpr unsigned kBucketEntries = 4;

  // Indexes the samples of `source` under `shift` (about one position in 2^shift). The table fits their number; while it
  // is built they take as much again.
  void build(ByteSpan source, unsigned shift, WorkerPool& pool);

  // The same in bounded memory. `start` makes the table, of 32 bytes for each of bucket_count (a power of two). `add`
  // indexes one piece after the other, which stands at source_pos. Samples in the last kAnchorSpan - 1 bytes of a piece
  // are not seen, so pieces overlap by as much. Pieces whose content gives samples without end lose some.
  void start(unsigned shift, std::uint64_t bucket_count, WorkerPool& pool);
  void add(ByteSpan piece, std::uint64_t source_pos, WorkerPool& pool);

  static constexpr std::uint64_t kBucketBytes = kBucketEntries * sizeof(std::uint64_t);

  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
  [[nodiscard]] std::uint32_t threshold() const noexcept { return threshold_; }
  [[nodiscard]] std::uint64_t memory_bytes() const noexcept { return entries_.size() * sizeof(std::uint64_t); }

  void prefetch(std::uint64_t key) const noexcept { prefetch_line(&entries_[bucket(key)]); }

  // Calls use(source_pos) for every entry whose tag fits; a caller still compares the bytes.
  template <class Use>
  void lookup(std::uint64_t key, Use&& use) const {
    const std::uint64_t* entry = &entries_[bucket(key)];
    for (unsigned i = 0; i < kBucketEntries && entry[i] != 0; ++i) {
      if ((entry[i] >> kPosBits) == tag(key)) use((entry[i] & kPosMask) - 1);
    }
  }

 private:
  static constexpr unsigned kPosBits = 40;
  static constexpr std::uint64_t kPosMask = (std::uint64_t{1} << kPosBits) - 1;

  [[nodiscard]] static std::uint64_t tag(std::uint64_t key) noexcept { return key & 0xFFFFFF; }
  [[nodiscard]] std::size_t bucket(std::uint64_t key) const noexcept {
    return static_cast<std::size_t>(key >> bucket_shift_) * kBucketEntries;
  }
  struct Sample {
    std::uint64_t key;
    std::uint64_t source_pos;
  };
  static constexpr unsigned kPartBits = 3;
  static constexpr std::size_t kParts = std::size_t{1} << kPartBits;  // fixed: the work splits alike for all thread counts

  // Samples by part: part p is [begins[p], begins[p + 1]).
  struct SampleBlock {
    std::vector<Sample> samples;
    std::array<std::size_t, kParts + 1> begins{};

    [[nodiscard]] std::span<const Sample> part(std::size_t p) const {
      return std::span(samples).subspan(begins[p], begins[p + 1] - begins[p]);
    }
  };
  using SampleBlocks = std::vector<SampleBlock>;

  [[nodiscard]] static SampleBlock split_by_part(const std::vector<Sample>& samples);

  void insert(std::uint64_t key, std::uint64_t source_pos) noexcept;
  void insert_all(const SampleBlocks& blocks, WorkerPool& pool);
  [[nodiscard]] SampleBlocks scan(ByteSpan piece, std::uint64_t source_pos, std::uint64_t max_samples,
                                  WorkerPool& pool) const;

  RawBuffer<std::uint64_t> entries_;  // 0 = free; else tag, position + 1
  std::uint32_t threshold_ = 0;
  unsigned bucket_shift_ = 63;
};

}  // namespace bdelta
