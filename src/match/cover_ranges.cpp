#include "match/cover_ranges.hpp"

#include <algorithm>
#include <iterator>

namespace bdelta {

ByteRanges outside_of(const ByteRanges& ranges, std::uint64_t target_size) {
  ByteRanges outside;
  std::uint64_t pos = 0;
  for (const ByteRange& range : ranges) {
    if (range.begin > pos) outside.push_back({pos, range.begin});
    pos = range.end;
  }
  if (pos < target_size) outside.push_back({pos, target_size});
  return outside;
}

Covers covers_in(const ByteRanges& ranges, const Covers& covers) {
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
