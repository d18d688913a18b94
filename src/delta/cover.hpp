// Waist 1: what every matcher produces and nothing else leaves the matchers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace bdelta {

// target[target_pos, + length) resembles source[source_pos, + length); single bytes may differ inside.
// A list of covers is ascending and free of overlap in the target; in the source anything goes.
struct Cover {
  std::uint64_t source_pos = 0;
  std::uint64_t target_pos = 0;
  std::uint64_t length = 0;

  [[nodiscard]] std::uint64_t target_end() const noexcept { return target_pos + length; }
  [[nodiscard]] std::uint64_t source_end() const noexcept { return source_pos + length; }
  // The same for all places that lie at the same distance in both files.
  [[nodiscard]] std::int64_t diagonal() const noexcept {
    return static_cast<std::int64_t>(source_pos) - static_cast<std::int64_t>(target_pos);
  }
  bool operator==(const Cover&) const = default;
};

using Covers = std::vector<Cover>;

// Ascending, no overlap, no empty cover, all inside both files.
[[nodiscard]] bool covers_are_valid(const Covers& covers, std::uint64_t source_size, std::uint64_t target_size);

// Of the target, that valid covers copy.
[[nodiscard]] std::uint64_t covered_bytes(const Covers& covers) noexcept;

// The first of valid covers that ends behind pos: the one that copies it, or the next.
[[nodiscard]] inline Covers::const_iterator cover_from(const Covers& covers, std::uint64_t pos) noexcept {
  return std::partition_point(covers.begin(), covers.end(), [pos](const Cover& cover) { return cover.target_end() <= pos; });
}

// Calls body(cover, from, to) for the covers that reach into [begin, end) of the target: from and to are what lies in there.
template <class Body>
void for_each_cover_in(const Covers& covers, std::uint64_t begin, std::uint64_t end, Body&& body) {
  for (auto cover = cover_from(covers, begin); cover != covers.end() && cover->target_pos < end; ++cover) {
    body(*cover, std::max(cover->target_pos, begin), std::min(cover->target_end(), end));
  }
}

// Adds a cover behind the others. One that goes on where the last ends, in both files, becomes a part of that.
inline void add_joined(Covers& covers, const Cover& cover) {
  const bool goes_on =
      !covers.empty() && covers.back().target_end() == cover.target_pos && covers.back().source_end() == cover.source_pos;
  if (goes_on) {
    covers.back().length += cover.length;
  } else {
    covers.push_back(cover);
  }
}

// Where there are more than max_count, keeps those that are longer than the max_count-th longest.
void keep_longest(Covers& covers, std::size_t max_count);

}  // namespace bdelta
