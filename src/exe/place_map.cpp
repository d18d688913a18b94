#include "exe/place_map.hpp"

#include <algorithm>
#include <numeric>
#include <queue>

#include "parallel/sort.hpp"

namespace bdelta::exe {
namespace {

constexpr std::uint32_t kCoversToLook = 1 << 12;  // between two looks at the watch

}  // namespace

PlaceMap::PlaceMap(const Covers& covers, Watch* watch) : covers_(covers) {
  std::vector<std::uint32_t> order(covers.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto comes_before = [&](std::uint32_t a, std::uint32_t b) {
    return covers[a].source_pos != covers[b].source_pos ? covers[a].source_pos < covers[b].source_pos : a < b;
  };
  sort_in_place(std::span(order), comes_before, watch);
  const auto worse = [&](std::uint32_t a, std::uint32_t b) {
    return covers[a].length != covers[b].length ? covers[a].length < covers[b].length : a > b;
  };
  // A sweep over the source; on top stands who owns the byte at `pos`.
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, decltype(worse)> open(worse);
  std::size_t next = 0;
  std::uint64_t pos = 0;
  add(0, kNoCover);
  Pace pace(watch, kCoversToLook);
  while (next < order.size() || !open.empty()) {
    pace.step();
    while (!open.empty() && covers[open.top()].source_end() <= pos) open.pop();
    if (open.empty()) {
      if (next == order.size()) break;
      add(pos, kNoCover);
      pos = covers[order[next]].source_pos;
    }
    while (next < order.size() && covers[order[next]].source_pos <= pos) open.push(order[next++]);
    add(pos, open.top());
    const std::uint64_t end = covers[open.top()].source_end();
    pos = next < order.size() ? std::min(end, covers[order[next]].source_pos) : end;
  }
  add(pos, kNoCover);
  while (pos >> bucket_log_ > 2 * segments_.size()) ++bucket_log_;
  buckets_.resize((pos >> bucket_log_) + 2);
  std::size_t segment = 0;
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    const std::uint64_t begin = std::uint64_t{bucket} << bucket_log_;
    while (segment + 1 < segments_.size() && segments_[segment + 1].source_pos <= begin) ++segment;
    buckets_[bucket] = static_cast<std::uint32_t>(segment);
  }
}

void PlaceMap::add(std::uint64_t source_pos, std::uint32_t cover) {
  if (!segments_.empty() && segments_.back().source_pos == source_pos) segments_.pop_back();
  if (!segments_.empty() && segments_.back().cover == cover) return;
  segments_.push_back({source_pos, cover});
}

std::size_t PlaceMap::segment_of(std::uint64_t source_pos) const noexcept {
  const std::uint64_t found = source_pos >> bucket_log_;
  if (found + 1 >= buckets_.size()) return segments_.size() - 1;
  const auto bucket = static_cast<std::size_t>(found);
  const auto begin = segments_.begin() + static_cast<std::ptrdiff_t>(buckets_[bucket]);
  const auto end = segments_.begin() + static_cast<std::ptrdiff_t>(buckets_[bucket + 1]) + 1;
  const auto after = std::upper_bound(begin, end, source_pos,
                                      [](std::uint64_t pos, const Segment& s) { return pos < s.source_pos; });
  return static_cast<std::size_t>(after - segments_.begin()) - 1;
}

std::uint32_t PlaceMap::owner(std::uint64_t source_pos) const noexcept {
  return segments_[segment_of(source_pos)].cover;
}

std::uint32_t PlaceMap::owner_before(std::uint64_t source_pos) const noexcept {
  return owner_up_to(segment_of(source_pos));
}

std::uint32_t PlaceMap::owner_up_to(std::size_t segment) const noexcept {
  const bool owned = segments_[segment].cover != kNoCover || segment == 0;
  return segments_[owned ? segment : segment - 1].cover;
}

PlaceMap::Run PlaceMap::run_at(std::uint64_t source_pos) const noexcept {
  const std::size_t segment = segment_of(source_pos);
  const std::uint64_t begin = segments_[segment].source_pos;
  const std::uint64_t end = segment + 1 < segments_.size() ? segments_[segment + 1].source_pos : ~std::uint64_t{0};
  return {begin, end - begin, owner_up_to(segment)};
}

}  // namespace bdelta::exe
