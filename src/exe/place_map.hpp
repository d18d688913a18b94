// Where bytes of the source went: a function from source positions to target positions, made of covers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "delta/cover.hpp"
#include "parallel/watch.hpp"

namespace bdelta::exe {

// A source byte that several covers copy belongs to the longest of them, the first one if they are equally long: a long
// cover is rather the thing itself and a short one rather a coincidence. Takes O(n log n) time, whatever the overlaps.
class PlaceMap {
 public:
  static constexpr std::uint32_t kNoCover = ~std::uint32_t{0};

  // `covers` must outlive the map; at most 2^32 - 2 of them, none empty.
  // The watch may be null.
  explicit PlaceMap(const Covers& covers, Watch* watch = nullptr);

  // The cover that owns the byte, or kNoCover.
  [[nodiscard]] std::uint32_t owner(std::uint64_t source_pos) const noexcept;

  // The cover that owns the byte or else the nearest byte before it that has an owner.
  [[nodiscard]] std::uint32_t owner_before(std::uint64_t source_pos) const noexcept;

  // A stretch of bytes that all have the same owner, or all the same owner before them.
  struct Run {
    std::uint64_t begin = 0;
    std::uint64_t size_bytes = 0;
    std::uint32_t owner_before = kNoCover;
  };
  [[nodiscard]] Run run_at(std::uint64_t source_pos) const noexcept;

  [[nodiscard]] std::uint64_t moved(std::uint32_t cover, std::uint64_t source_pos) const noexcept {
    return source_pos - covers_[cover].source_pos + covers_[cover].target_pos;
  }
  [[nodiscard]] const Covers& covers() const noexcept { return covers_; }

 private:
  struct Segment {  // ends where the next one begins
    std::uint64_t source_pos;
    std::uint32_t cover;
  };

  void add(std::uint64_t source_pos, std::uint32_t cover);
  [[nodiscard]] std::size_t segment_of(std::uint64_t source_pos) const noexcept;
  [[nodiscard]] std::uint32_t owner_up_to(std::size_t segment) const noexcept;

  const Covers& covers_;
  std::vector<Segment> segments_;
  std::vector<std::uint32_t> buckets_;  // the last segment that begins at or before the bucket's first byte
  unsigned bucket_log_ = 8;             // source bytes to a bucket; few segments need few buckets
};

}  // namespace bdelta::exe
