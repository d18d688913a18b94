#include "view/geometry.hpp"

#include <algorithm>

namespace bdelta::view {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 48;  // of a stream: sums of many don't wrap

// What a stream of NEW is told by: gap in front of it, packed bytes, raw bytes. Of nothing where OLD has no streams.
struct Shape {
  std::uint64_t gap = 0, packed_bytes = 0, raw_bytes = 0;
};

Shape shape_of(const PackedStreams& streams, std::size_t index) {
  if (index >= streams.size()) return {};
  const std::uint64_t end_before = index == 0 ? 0 : streams[index - 1].file_end();
  return {streams[index].file_pos - end_before, streams[index].packed_bytes, streams[index].raw_bytes};
}

void append_difference(Bytes& to, std::uint64_t value, std::uint64_t likely) {
  append_varint(to, zigzag(static_cast<std::int64_t>(value - likely)));
}

bool read_difference(ByteCursor& from, std::uint64_t likely, std::uint64_t& value) noexcept {
  return checked_add_signed(likely, from.svarint(), value) && from.ok();
}

}  // namespace

bool SourcePositions::next(std::uint64_t end, std::uint64_t& pos) noexcept {
  return read_difference(from_, likely_stream_pos(file_, end), pos) && pos >= end && pos < file_.size();
}

std::uint64_t bytes_of(const KeptRanges& ranges) noexcept {
  std::uint64_t bytes = 0;
  for (const KeptRange& range : ranges) bytes += range.bytes;
  return bytes;
}

bool read_kept_range(ByteCursor& from, std::uint64_t file_bytes, std::uint64_t end, KeptRange& range) noexcept {
  const std::uint64_t gap = from.varint();
  range.bytes = from.varint();
  if (!from.ok() || gap > file_bytes - end || range.bytes == 0 || range.bytes > file_bytes - end - gap) return false;
  range.file_pos = end + gap;
  return true;
}

Bytes encode_geometry(ByteSpan source_file, const PackedStreams& source, const KeptRanges& kept, const PackedStreams& target,
                      const std::vector<std::size_t>& counterparts) {
  Bytes bytes;
  std::uint64_t end = 0;
  for (const PackedStream& stream : source) {
    append_difference(bytes, stream.file_pos, likely_stream_pos(source_file, end));
    end = stream.file_end();
  }
  end = 0;
  for (const KeptRange& range : kept) {
    append_varint(bytes, range.file_pos - end);
    append_varint(bytes, range.bytes);
    end = range.file_end();
  }
  std::size_t expected = 0;
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (!source.empty()) append_difference(bytes, counterparts[i], expected);
    const Shape likely = shape_of(source, source.empty() ? 0 : counterparts[i]);
    const Shape shape = shape_of(target, i);
    append_difference(bytes, shape.gap, likely.gap);
    append_difference(bytes, shape.packed_bytes, likely.packed_bytes);
    append_difference(bytes, shape.raw_bytes, likely.raw_bytes);
    expected = source.empty() ? 0 : counterparts[i] + 1;
  }
  return bytes;
}

Result<PackedStreams> decode_target_streams(ByteCursor& from, const PackedStreams& source, std::uint64_t count,
                                            std::uint64_t target_bytes) {
  const auto corrupt = [](const char* what) {
    return Error{ErrorCode::kPatchCorrupt, std::string("what it says of compressed streams of NEW ") + what + "; fetch the patch again"};
  };
  PackedStreams streams;
  std::uint64_t end = 0;
  std::uint64_t counterpart = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!source.empty()) {
      if (!read_difference(from, counterpart, counterpart) || counterpart >= source.size()) return corrupt("names one that OLD has not");
    }
    const Shape likely = shape_of(source, static_cast<std::size_t>(counterpart));
    Shape shape;
    if (!read_difference(from, likely.gap, shape.gap) || !read_difference(from, likely.packed_bytes, shape.packed_bytes) ||
        !read_difference(from, likely.raw_bytes, shape.raw_bytes)) {
      return corrupt("ends inside a field");
    }
    if (shape.packed_bytes == 0 || shape.packed_bytes > kMostBytes || shape.raw_bytes > kMostRatio * shape.packed_bytes) {
      return corrupt("has an impossible size");
    }
    if (shape.gap > target_bytes - end || shape.packed_bytes > target_bytes - end - shape.gap) return corrupt("reaches beyond its end");
    streams.push_back({end + shape.gap, shape.packed_bytes, shape.raw_bytes});
    end = streams.back().file_end();
    ++counterpart;
  }
  if (from.available() != 0) return corrupt("goes on behind its last field");
  return streams;
}

}  // namespace bdelta::view
