#include "view/geometry.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/try.hpp"

namespace bdelta::view {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 48;  // of a stream: sums of many don't wrap

// What a stream of NEW is told by: gap in front of it, packed bytes, raw bytes. Of nothing where OLD has no streams.
struct Shape {
  std::uint64_t gap = 0, packed_bytes = 0, raw_bytes = 0;
};

void append_difference(Bytes& to, std::uint64_t value, std::uint64_t likely) {
  append_varint(to, zigzag(static_cast<std::int64_t>(value - likely)));
}

// In the order in which they are told. Of OLD the last is not, as telling the directory shows it.
constexpr std::array kShapeFields = {&DirectoryShape::stream_step, &DirectoryShape::gap_bytes, &DirectoryShape::entry_bytes,
                                     &DirectoryShape::archive_step, &DirectoryShape::description_bytes};
constexpr std::size_t kSourceFieldCount = kShapeFields.size() - 1;

std::vector<DirectoryShape> shapes_of(const Replacements& replaced) {
  std::vector<DirectoryShape> shapes;
  std::uint64_t stream_step = 0, end = 0, directories_end = 0;
  const auto on_stream = [&](const PackedStream& stream) {
    ++stream_step;
    end = stream.file_end();
  };
  visit(replaced, on_stream, [&](const ZipDirectory& directory) {
    const std::uint64_t archive_step = directory.archive_pos - directories_end;
    shapes.push_back({stream_step, directory.file_pos - end, directory.bytes, archive_step, directory.description_bytes});
    end = directories_end = directory.file_end();
    stream_step = 0;
  });
  return shapes;
}

void append_shape(Bytes& to, const DirectoryShape& shape, const DirectoryShape& likely, std::size_t field_count) {
  for (std::size_t i = 0; i < field_count; ++i) append_difference(to, shape.*kShapeFields[i], likely.*kShapeFields[i]);
}

DirectoryShape read_shape(ByteCursor& from, DirectoryShape likely, std::size_t field_count) {
  for (std::size_t i = 0; i < field_count; ++i) likely.*kShapeFields[i] += static_cast<std::uint64_t>(from.svarint());
  return likely;
}

// Where it is, behind `end` of what is replaced and that of the directory before; false where none can be.
bool place_directory(const DirectoryShape& shape, std::uint64_t end, std::uint64_t directories_end, DirectoryRoom& room, ZipDirectory& directory) noexcept {
  directory = {0, shape.entry_bytes, directories_end + shape.archive_step, shape.description_bytes};
  return checked_add(end, shape.gap_bytes, directory.file_pos) && room.take(directory);
}

Shape shape_of(const PackedStreams& streams, std::size_t index) {
  if (index >= streams.size()) return {};
  const std::uint64_t end_before = index == 0 ? 0 : streams[index - 1].file_end();
  return {streams[index].file_pos - end_before, streams[index].packed_bytes, streams[index].raw_bytes};
}

bool read_difference(ByteCursor& from, std::uint64_t likely, std::uint64_t& value) noexcept {
  return checked_add_signed(likely, from.svarint(), value) && from.ok();
}

Error corrupt(const char* what) {
  return {ErrorCode::kPatchCorrupt, std::string("what it says of compressed streams of NEW ") + what + "; fetch the patch again"};
}

Result<PackedStreams> decode_streams(ByteCursor& from, const PackedStreams& source, std::uint64_t count, std::uint64_t target_bytes) {
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
  return streams;
}

Result<ZipDirectories> decode_directories(ByteCursor& from, const Replacements& source, const PackedStreams& streams, const ViewPlan& plan,
                                          std::uint64_t target_bytes) {
  const std::vector<DirectoryShape> known = shapes_of(source);
  ZipDirectories directories;
  DirectoryRoom room(target_bytes, plan.entry_bytes);
  std::uint64_t counterpart = 0, stream_count = 0, end = 0;
  for (std::uint64_t i = 0; i < plan.target_directory_count; ++i) {
    if (!known.empty() && (!read_difference(from, counterpart, counterpart) || counterpart >= known.size())) {
      return corrupt("names a directory that OLD has not");
    }
    const DirectoryShape shape = read_shape(from, known.empty() ? DirectoryShape() : known[static_cast<std::size_t>(counterpart++)], kShapeFields.size());
    if (!from.ok()) return corrupt("ends inside a field");
    if (shape.stream_step > streams.size() - stream_count) return corrupt("has a directory behind more streams than there are");
    stream_count += shape.stream_step;
    const std::uint64_t streams_end = stream_count == 0 ? 0 : streams[static_cast<std::size_t>(stream_count) - 1].file_end();
    const std::uint64_t next_pos = stream_count < streams.size() ? streams[static_cast<std::size_t>(stream_count)].file_pos : target_bytes;
    ZipDirectory directory;
    if (!place_directory(shape, std::max(end, streams_end), end, room, directory) || directory.file_end() > next_pos ||
        directory.description_bytes > most_description_bytes(directory.bytes)) {
      return corrupt("has a directory where none can be");
    }
    end = directory.file_end();
    directories.push_back(directory);
  }
  return directories;
}

}  // namespace

SourcePositions::SourcePositions(FileWindow& file, const ViewPlan& plan, ByteCursor& from)
    : file_(file), from_(from), room_(file.size(), plan.entry_bytes) {
  for (std::uint64_t i = 0; i < plan.source_directory_count; ++i) directories_.push_back(read_shape(from, {}, kSourceFieldCount));
  if (!directories_.empty()) streams_in_front_ = directories_[0].stream_step;
}

bool SourcePositions::next_stream(std::uint64_t end, std::uint64_t& pos) {
  static_assert(FileWindow::kMostAskedBytes >= kMostLookedAtBytes);
  const std::uint64_t likely = end + likely_stream_pos(file_.from(end, kMostLookedAtBytes), 0);
  return read_difference(from_, likely, pos) && pos >= end && pos < file_.size();
}

bool SourcePositions::next_directory(std::uint64_t end, ZipDirectory& directory) noexcept {
  if (!from_.ok() || !place_directory(directories_[next_++], end, directories_end_, room_, directory)) return false;
  directories_end_ = directory.file_end();
  if (next_ < directories_.size()) streams_in_front_ += directories_[next_].stream_step;
  return true;
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

Bytes encode_geometry(ByteSpan source_file, const Replacements& source, const KeptRanges& kept, const Replacements& target,
                      const Counterparts& counterparts) {
  Bytes bytes;
  const std::vector<DirectoryShape> known = shapes_of(source), shapes = shapes_of(target);
  for (const DirectoryShape& shape : known) append_shape(bytes, shape, {}, kSourceFieldCount);
  std::uint64_t end = 0;
  const auto on_stream = [&](const PackedStream& stream) {
    append_difference(bytes, stream.file_pos, likely_stream_pos(source_file, end));
    end = stream.file_end();
  };
  visit(source, on_stream, [&](const ZipDirectory& directory) { end = directory.file_end(); });
  end = 0;
  for (const KeptRange& range : kept) {
    append_varint(bytes, range.file_pos - end);
    append_varint(bytes, range.bytes);
    end = range.file_end();
  }
  std::size_t expected = 0;
  for (std::size_t i = 0; i < target.streams.size(); ++i) {
    const std::size_t counterpart = source.streams.empty() ? 0 : counterparts.streams[i];
    if (!source.streams.empty()) append_difference(bytes, counterpart, std::exchange(expected, counterpart + 1));
    const Shape likely = shape_of(source.streams, counterpart);
    const Shape shape = shape_of(target.streams, i);
    append_difference(bytes, shape.gap, likely.gap);
    append_difference(bytes, shape.packed_bytes, likely.packed_bytes);
    append_difference(bytes, shape.raw_bytes, likely.raw_bytes);
  }
  expected = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::size_t counterpart = known.empty() ? 0 : counterparts.directories[i];
    if (!known.empty()) append_difference(bytes, counterpart, std::exchange(expected, counterpart + 1));
    append_shape(bytes, shapes[i], known.empty() ? DirectoryShape() : known[counterpart], kShapeFields.size());
  }
  return bytes;
}

Result<Replacements> decode_target(ByteCursor& from, const Replacements& source, const ViewPlan& plan, std::uint64_t target_bytes) {
  Replacements target;
  BDELTA_ASSIGN(target.streams, decode_streams(from, source.streams, plan.target_count, target_bytes));
  BDELTA_ASSIGN(target.directories, decode_directories(from, source, target.streams, plan, target_bytes));
  if (from.available() != 0) return corrupt("goes on behind its last field");
  return target;
}

}  // namespace bdelta::view
