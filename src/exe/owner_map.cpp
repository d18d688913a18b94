#include "exe/owner_map.hpp"

#include <algorithm>
#include <numeric>
#include <queue>

#include "parallel/sort.hpp"

namespace bdelta::exe {
namespace {

constexpr std::uint32_t kCoversToLook = 1 << 12;  // between two looks at the watch

}  // namespace

OwnerMap::OwnerMap(const Covers& covers, Watch* watch, std::size_t most_stretches) : covers_(covers) {
  if (find_stretches(most_stretches, watch)) {
    begins_.shrink_to_fit();
    owners_.shrink_to_fit();
    fill_buckets();
  } else {
    begins_ = {};
    owners_ = {};
  }
}

// A sweep over the source, with those covers open that copy the byte at `pos`; on top stands who owns it.
bool OwnerMap::find_stretches(std::size_t most_stretches, Watch* watch) {
  std::vector<std::uint32_t> order(covers_.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto comes_before = [&](std::uint32_t a, std::uint32_t b) {
    return covers_[a].source_pos != covers_[b].source_pos ? covers_[a].source_pos < covers_[b].source_pos : a < b;
  };
  sort_in_place(std::span(order), comes_before, watch);
  const auto worse = [&](std::uint32_t a, std::uint32_t b) {
    return covers_[a].length != covers_[b].length ? covers_[a].length < covers_[b].length : a > b;
  };
  // At once, as what grows takes room twice. What is not used of it is only spoken for, and given back.
  begins_.reserve(std::min(most_stretches, 2 * order.size() + 1));
  owners_.reserve(begins_.capacity());
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, decltype(worse)> open(worse);
  std::uint64_t pos = 0;
  Pace pace(watch, kCoversToLook);
  for (std::size_t next = 0; next < order.size() || !open.empty();) {
    pace.step();
    if (open.empty() && covers_[order[next]].source_pos > pos) {
      if (!add(pos, kNoCover, most_stretches)) return false;
      pos = covers_[order[next]].source_pos;
    }
    while (next < order.size() && covers_[order[next]].source_pos <= pos) open.push(order[next++]);
    if (!add(pos, open.top(), most_stretches)) return false;
    const std::uint64_t end = covers_[open.top()].source_end();
    pos = next < order.size() ? std::min(end, covers_[order[next]].source_pos) : end;
    while (!open.empty() && covers_[open.top()].source_end() <= pos) open.pop();
  }
  return add(pos, kNoCover, most_stretches);
}

bool OwnerMap::add(std::uint64_t source_pos, std::uint32_t owner, std::size_t most_stretches) {
  if (!owners_.empty() && owners_.back() == owner) return true;
  if (owners_.size() == most_stretches) return false;
  begins_.push_back(source_pos);
  owners_.push_back(owner);
  return true;
}

void OwnerMap::fill_buckets() {
  const std::uint64_t end = begins_.back();
  while (end >> bucket_log_ > begins_.size()) ++bucket_log_;
  buckets_.resize(static_cast<std::size_t>(end >> bucket_log_) + 2);
  std::size_t stretch = 0;
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    const std::uint64_t begin = std::uint64_t{bucket} << bucket_log_;
    while (stretch + 1 < begins_.size() && begins_[stretch + 1] <= begin) ++stretch;
    buckets_[bucket] = static_cast<std::uint32_t>(stretch);
  }
}

std::size_t OwnerMap::stretch_of(std::uint64_t source_pos) const noexcept {
  const std::uint64_t found = source_pos >> bucket_log_;
  if (found + 1 >= buckets_.size()) return begins_.size() - 1;
  const auto bucket = static_cast<std::size_t>(found);
  const auto first = begins_.begin() + static_cast<std::ptrdiff_t>(buckets_[bucket]);
  const auto last = begins_.begin() + static_cast<std::ptrdiff_t>(buckets_[bucket + 1]) + 1;
  return static_cast<std::size_t>(std::upper_bound(first, last, source_pos) - begins_.begin()) - 1;
}

std::uint32_t OwnerMap::owner(std::uint64_t source_pos) const noexcept { return owners_[stretch_of(source_pos)]; }

std::uint32_t OwnerMap::owner_before(std::uint64_t source_pos) const noexcept {
  return owner_up_to(stretch_of(source_pos));
}

std::uint32_t OwnerMap::owner_up_to(std::size_t stretch) const noexcept {
  const bool owned = owners_[stretch] != kNoCover || stretch == 0;
  return owners_[owned ? stretch : stretch - 1];
}

OwnerMap::Stretch OwnerMap::stretch_at(std::uint64_t source_pos) const noexcept {
  const std::size_t stretch = stretch_of(source_pos);
  const std::uint64_t begin = begins_[stretch];
  const std::uint64_t end = stretch + 1 < begins_.size() ? begins_[stretch + 1] : ~std::uint64_t{0};
  return {begin, end - begin, owner_up_to(stretch)};
}

}  // namespace bdelta::exe
