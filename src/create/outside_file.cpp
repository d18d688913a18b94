#include "create/outside_file.hpp"

#include <algorithm>

namespace bdelta {

OutsideFile::OutsideFile(ByteRanges ranges, ByteSpan target) {
  std::uint64_t size = 0;
  for (const ByteRange& range : ranges) {
    parts_.push_back({range, size});
    size += range.end - range.begin;
  }
  bytes_.reserve(static_cast<std::size_t>(size));
  for (const ByteRange& range : ranges) {
    append(bytes_, target.subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.end - range.begin)));
  }
}

Diagonals OutsideFile::diagonals(const Diagonals& of_target) {
  aligned_.clear();
  auto part = parts_.begin();
  for (const AlignedRange& aligned : of_target.parts) {
    while (part != parts_.end() && part->range.end <= aligned.begin) ++part;
    for (auto at = part; at != parts_.end() && at->range.begin < aligned.end; ++at) {
      const std::uint64_t moved_by = at->moved_by();
      const auto change = static_cast<std::int64_t>(moved_by);
      AlignedRange& moved = aligned_.emplace_back(aligned);
      moved.begin = std::max(aligned.begin, at->range.begin) - moved_by;
      moved.end = std::min(aligned.end, at->range.end) - moved_by;
      moved.from_start += change;
      moved.from_end += change;
      const bool has_data = aligned.data_pos >= at->range.begin && aligned.data_pos < at->range.end;
      moved.data_pos = has_data ? aligned.data_pos - moved_by : AlignedRange::kNoData;
      moved.from_data += change;
    }
  }
  return {of_target.from_start + static_cast<std::int64_t>(parts_.front().moved_by()),
          of_target.from_end + static_cast<std::int64_t>(parts_.back().moved_by()), aligned_};
}

Covers OutsideFile::placed(const Covers& covers) const {
  ByteRanges ranges;
  for (const Part& part : parts_) ranges.push_back({part.pos, part.pos + (part.range.end - part.range.begin)});
  Covers moved = covers_in(ranges, covers);
  auto part = parts_.begin();
  for (Cover& cover : moved) {
    while (part->pos + (part->range.end - part->range.begin) <= cover.target_pos) ++part;
    cover.target_pos += part->moved_by();
  }
  return moved;
}

}  // namespace bdelta
