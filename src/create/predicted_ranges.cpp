#include "create/predicted_ranges.hpp"

#include <algorithm>
#include <iterator>

namespace bdelta {

TargetRanges windows_with_images(const std::vector<exe::Image>& images, std::uint64_t window_bytes,
                                 std::uint64_t target_size) {
  TargetRanges ranges;
  for (const exe::Image& image : images) {
    const std::uint64_t begin = image.file_pos / window_bytes * window_bytes;
    const std::uint64_t end = image.file_pos + image.size_bytes;
    const std::uint64_t window_end = std::min(target_size, (end + window_bytes - 1) / window_bytes * window_bytes);
    if (!ranges.empty() && ranges.back().end >= begin) {
      ranges.back().end = std::max(ranges.back().end, window_end);
    } else {
      ranges.push_back({begin, window_end});
    }
  }
  return ranges;
}

TargetRanges outside_of(const TargetRanges& ranges, std::uint64_t target_size) {
  TargetRanges outside;
  std::uint64_t pos = 0;
  for (const TargetRange& range : ranges) {
    if (range.begin > pos) outside.push_back({pos, range.begin});
    pos = range.end;
  }
  if (pos < target_size) outside.push_back({pos, target_size});
  return outside;
}

Covers covers_in(const TargetRanges& ranges, const Covers& covers) {
  Covers inside;
  auto range = ranges.begin();
  for (const Cover& cover : covers) {
    while (range != ranges.end() && range->end <= cover.target_pos) ++range;
    for (auto at = range; at != ranges.end() && at->begin < cover.target_end(); ++at) {
      const std::uint64_t begin = std::max(cover.target_pos, at->begin);
      const std::uint64_t end = std::min(cover.target_end(), at->end);
      inside.push_back({cover.source_pos + (begin - cover.target_pos), begin, end - begin});
    }
  }
  return inside;
}

Covers merged(const Covers& some, const Covers& others) {
  Covers all;
  all.reserve(some.size() + others.size());
  std::merge(some.begin(), some.end(), others.begin(), others.end(), std::back_inserter(all),
             [](const Cover& a, const Cover& b) { return a.target_pos < b.target_pos; });
  return all;
}

}  // namespace bdelta
