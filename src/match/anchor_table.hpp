// Source places that may continue the target where the first covers fail.
//
// The failing places are few: gaps between covers, and the surroundings of bytes that differ inside them. One position
// in four there (by content, as everywhere) gives a key of 16 bytes. The keys go into a Bloom filter. The source is
// read once at its own samples, and only those the filter knows enter the table. This is a semi-join, so the table is
// as small as the failing places however large the source is. Each key keeps its first four places.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bdelta/io.hpp"
#include "delta/cover.hpp"
#include "base/prefetch.hpp"
#include "match/sample_hash.hpp"
#include "match/byte_range.hpp"
#include "parallel/large_buffer.hpp"
#include "parallel/table_parts.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// What of the source the table knows, and in how much memory it is made. By default all of it, in as much as it takes.
struct AnchorScope {
  ByteRanges ranges;
  std::uint64_t memory_bytes = 0;  // of filter, table and what is on its way into them; at least 4 MiB, or 0 = no limit
};

class AnchorTable {
 public:
  static constexpr std::uint64_t kKeyBytes = 16;
  static constexpr unsigned kWays = 4;

  // shift: one position in 2^shift is a sample, or one in up to four times as many where little fails.
  void build(ByteSpan source, ByteSpan target, const Covers& covers, unsigned shift, WorkerPool& pool,
             const AnchorScope& scope = {});

  [[nodiscard]] bool empty() const noexcept { return slots_.empty(); }

  // Fetches what lookup(at) will read.
  void prefetch(const std::uint8_t* at) const noexcept {
    if (sample_hash(at) < threshold_) prefetch_line(&slots_[bucket(key_of(at))]);
  }

  // Calls use(source_pos) for each place whose key fits that at `at` (kKeyBytes readable); the bytes may still differ.
  template <class Use>
  void lookup(const std::uint8_t* at, Use&& use) const {
    if (sample_hash(at) >= threshold_) return;
    const std::uint64_t key = key_of(at);
    const std::uint64_t* way = &slots_[bucket(key)];
    for (unsigned i = 0; i < kWays && way[i] != 0; ++i) {
      if ((way[i] >> kPosBits) == (key & kTagMask)) use((way[i] & kPosMask) - 1);
    }
  }

 private:
  static constexpr unsigned kPosBits = 40;
  static constexpr std::uint64_t kPosMask = (std::uint64_t{1} << kPosBits) - 1;
  static constexpr std::uint64_t kTagMask = 0xFFFFFF;

  [[nodiscard]] static std::uint64_t key_of(const std::uint8_t* at) noexcept;
  [[nodiscard]] std::size_t bucket(std::uint64_t key) const noexcept {
    return static_cast<std::size_t>(key >> slot_shift_) * kWays;
  }
  [[nodiscard]] static std::uint64_t filter_bits(std::uint64_t key) noexcept {
    return std::uint64_t{1} << (key & 63) | std::uint64_t{1} << (key >> 6 & 63);
  }

  // Fills the filter and sets the sampling; returns the number of keys. read_bytes: of the source, to be read for them.
  [[nodiscard]] std::uint64_t note_failing_keys(ByteSpan source, ByteSpan target, const Covers& covers, unsigned shift,
                                                std::uint64_t read_bytes, WorkerPool& pool, const AnchorScope& scope);
  [[nodiscard]] std::vector<std::vector<std::uint64_t>> sampled_keys(ByteSpan target,
                                                                     std::span<const ByteRanges> failing,
                                                                     WorkerPool& pool) const;
  [[nodiscard]] std::vector<std::vector<std::uint64_t>> known_places(ByteSpan source, std::span<const ByteRange> tasks,
                                                             WorkerPool& pool) const;
  void make_filter(std::uint64_t key_count, const AnchorScope& scope, WorkerPool& pool);
  void make_table(std::uint64_t slot_count, WorkerPool& pool);
  void filter_source(ByteSpan source, std::uint64_t begin, std::uint64_t end, std::vector<std::uint64_t>& found) const;
  void note_keys(const std::vector<std::uint64_t>& keys, const TablePart& part) noexcept;
  void insert_places(const std::vector<std::uint64_t>& places, std::uint64_t task_begin, const TablePart& part) noexcept;
  void insert(std::uint64_t place, std::uint64_t task_begin) noexcept;

  std::uint32_t threshold_ = 0;
  RawBuffer<std::uint64_t> filter_;
  unsigned filter_shift_ = 0;
  RawBuffer<std::uint64_t> slots_;  // tag, position + 1; 0 = free
  unsigned slot_shift_ = 0;
};

inline std::uint64_t AnchorTable::key_of(const std::uint8_t* at) noexcept {
  std::uint64_t h = load_le<std::uint64_t>(at) * 0x9FB21C651E98DF25ull;
  h = (h ^ (h >> 29) ^ load_le<std::uint64_t>(at + 8)) * 0xD6E8FEB86659FD93ull;
  return h ^ (h >> 32);
}

}  // namespace bdelta
