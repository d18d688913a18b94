// Where bytes of the source went: a function from source positions to target positions, made of covers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "delta/cover.hpp"
#include "parallel/watch.hpp"

namespace bdelta::exe {

// A source byte that several covers copy belongs to the longest of them, the first one if they are equally long. A long
// cover is rather the thing itself and a short one rather a coincidence. Takes O(n log n) time, whatever the overlaps.
class OwnerMap {
 public:
  static constexpr std::uint32_t kNoCover = ~std::uint32_t{0};

  // For each stretch, at most, beside the covers.
  static constexpr std::uint64_t kBytesPerStretch = 16;

  // `covers` must outlive the map; at most 2^32 - 2 of them, none empty. The watch may be null. A map that would have
  // more than most_stretches stays without any, and is_complete() tells.
  explicit OwnerMap(const Covers& covers, Watch* watch = nullptr, std::size_t most_stretches = ~std::size_t{0});

  [[nodiscard]] bool is_complete() const noexcept { return !begins_.empty(); }
  // Of OLD, that have one owner each, or none: what the map takes memory for.
  [[nodiscard]] std::size_t stretch_count() const noexcept { return begins_.size(); }

  // The cover that owns the byte, or kNoCover.
  [[nodiscard]] std::uint32_t owner(std::uint64_t source_pos) const noexcept;

  // The cover that owns the byte or else the nearest byte before it that has an owner.
  [[nodiscard]] std::uint32_t owner_before(std::uint64_t source_pos) const noexcept;

  // A stretch of bytes that all have the same owner, or all the same owner before them.
  struct Stretch {
    std::uint64_t begin = 0;
    std::uint64_t size_bytes = 0;
    std::uint32_t owner_before = kNoCover;
  };
  [[nodiscard]] Stretch stretch_at(std::uint64_t source_pos) const noexcept;

  [[nodiscard]] std::uint64_t moved(std::uint32_t cover, std::uint64_t source_pos) const noexcept {
    return source_pos - covers_[cover].source_pos + covers_[cover].target_pos;
  }
  [[nodiscard]] const Covers& covers() const noexcept { return covers_; }

 private:
  [[nodiscard]] bool find_stretches(std::size_t most_stretches, Watch* watch);
  [[nodiscard]] bool add(std::uint64_t source_pos, std::uint32_t owner, std::size_t most_stretches);
  void fill_buckets();
  [[nodiscard]] std::size_t stretch_of(std::uint64_t source_pos) const noexcept;
  [[nodiscard]] std::uint32_t owner_up_to(std::size_t stretch) const noexcept;

  const Covers& covers_;
  std::vector<std::uint64_t> begins_;  // of stretches, each of which ends where the next one begins
  std::vector<std::uint32_t> owners_;  // of the same
  std::vector<std::uint32_t> buckets_;  // the last stretch that begins at or before the bucket's first byte
  unsigned bucket_log_ = 8;             // source bytes to a bucket; no more buckets than stretches
};

}  // namespace bdelta::exe
