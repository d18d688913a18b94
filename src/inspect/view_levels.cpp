#include "inspect/view_levels.hpp"

#include <algorithm>

#include "base/checked.hpp"

namespace bdelta::inspecting {

ViewLevels::Step::Step(const view::PackedStreams& streams) : streams_(streams) {
  std::uint64_t shift = 0;
  for (const view::PackedStream& stream : streams) shifts_.push_back(shift += stream.raw_bytes - stream.packed_bytes);
}

std::uint64_t ViewLevels::Step::moved(std::uint64_t pos) const noexcept {
  const auto behind = std::partition_point(streams_.begin(), streams_.end(),
                                           [pos](const view::PackedStream& stream) { return stream.file_end() <= pos; });
  return behind == streams_.begin() ? pos : pos + shifts_[static_cast<std::size_t>(behind - streams_.begin()) - 1];
}

std::uint64_t ViewLevels::Step::moved_back(std::uint64_t pos) const noexcept {
  std::size_t first = 0;  // stream that ends behind it
  for (std::size_t last = streams_.size(); first < last;) {
    const std::size_t middle = first + (last - first) / 2;
    if (streams_[middle].file_end() + shifts_[middle] <= pos) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first == 0 ? pos : pos - shifts_[first - 1];
}

ViewLevels::ViewLevels(std::span<const view::PackedStreams> streams, std::uint64_t view_bytes)
    : steps_(streams.begin(), streams.end()), view_bytes_(view_bytes) {
  for (std::size_t level = 0; level < steps_.size(); ++level) {
    for (const view::PackedStream& stream : streams[level]) {
      const std::uint64_t begin = steps_[level].moved(stream.file_pos);
      const UnpackedStream range{in_view(begin, level + 1), in_view(begin + stream.raw_bytes, level + 1), level + 1};
      if (range.begin <= range.end && range.end <= view_bytes_) unpacked_.push_back(range);
    }
  }
  std::sort(unpacked_.begin(), unpacked_.end(), [](const UnpackedStream& a, const UnpackedStream& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
}

std::uint64_t ViewLevels::in_view(std::uint64_t pos, std::size_t level) const noexcept {
  for (; level < steps_.size(); ++level) pos = steps_[level].moved(pos);
  return pos;
}

std::uint64_t ViewLevels::end_in_view(std::uint64_t begin, std::uint64_t bytes, std::size_t level) const noexcept {
  std::uint64_t pos = begin, end = 0;
  for (std::size_t i = steps_.size(); i-- > level;) pos = steps_[i].moved_back(pos);
  if (!checked_add(pos, bytes, end)) return view_bytes_;
  return std::clamp(in_view(end, level), begin, view_bytes_);
}

const UnpackedStream* ViewLevels::first_from(std::uint64_t pos) const noexcept {
  const auto found = std::lower_bound(unpacked_.begin(), unpacked_.end(), pos,
                                      [](const UnpackedStream& stream, std::uint64_t at) { return stream.begin < at; });
  return found == unpacked_.end() ? nullptr : &*found;
}

}  // namespace bdelta::inspecting
