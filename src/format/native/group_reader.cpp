#include "format/native/group_reader.hpp"

#include <algorithm>
#include <string>

#include "base/byte_cursor.hpp"
#include "base/try.hpp"

namespace bdelta::native {
namespace {

// Codecs may grow what they can't shrink by a little; more than this is no honest frame.
constexpr std::uint64_t kMaxCodedFrameBytes = kMaxFrameBytes + kMaxFrameBytes / 8;

WindowRecord parse_window(ByteCursor& head) {
  WindowRecord window;
  const std::uint64_t length_and_kind = head.varint();
  window.target_length = length_and_kind >> 1;
  window.plain = (length_and_kind & 1) == 0;
  if (window.plain) {
    window.diagonal_change = head.svarint();
    return window;
  }
  window.checksum = head.le<std::uint32_t>();
  window.copy_count = head.varint();
  const unsigned present = head.u8();
  window.unknown_streams = (present >> kStreamCount) != 0;
  for (std::size_t i = 0; i < kStreamCount; ++i) {
    if (present >> i & 1) window.sizes[i] = head.varint();
  }
  return window;
}

// Every size is tied to the window's target bytes or to a limit of the format.
bool is_bounded(const WindowRecord& window, std::uint64_t window_bytes) {
  if (window.target_length == 0 || window.unknown_streams) return false;
  if (window.plain) return true;
  const StreamSizes& sizes = window.sizes;
  return window.target_length <= window_bytes && window.copy_count <= kMaxWindowOps &&
         sizes[kLiteralLengths] <= window.copy_count * kMaxVarintBytes &&
         sizes[kCopyLengths] <= window.copy_count * kMaxVarintBytes &&
         sizes[kDiagonals] <= window.copy_count * kMaxVarintBytes &&
         sizes[kResidualGaps] <= kMaxWindowRuns * kMaxVarintBytes &&
         sizes[kResidualLengths] <= kMaxWindowRuns * kMaxVarintBytes &&
         sizes[kResidualValues] <= window.target_length && sizes[kLiterals] <= window.target_length;
}

}  // namespace

GroupReader::GroupReader(io::TypedReader& patch, const Header& header, std::uint64_t body_bytes)
    : patch_(patch), header_(header), body_end_(patch.position() + body_bytes) {}

Error GroupReader::corrupt(const char* what) const {
  return {ErrorCode::kPatchCorrupt, std::string(what) + "; fetch the patch again", patch_.position()};
}

// After a failed read: truncation and I/O errors speak for themselves.
Error GroupReader::unread(const char* what) const {
  Status status = patch_.status();
  return status ? corrupt(what) : std::move(status).error();
}

Status GroupReader::open(std::uint64_t target_bytes) {
  const std::uint64_t head_bytes = patch_.varint();
  if (!patch_.ok()) return unread("the head of a group can't be read");
  if (head_bytes > kMaxGroupHeadBytes || patch_.position() > body_end_ ||
      head_bytes > body_end_ - patch_.position()) {
    return corrupt("the head of a group is larger than the group");
  }
  Bytes head(static_cast<std::size_t>(head_bytes));
  if (!patch_.read_exact(head)) return unread("the head of a group can't be read");
  return read_windows(head, target_bytes);
}

Status GroupReader::read_windows(ByteSpan head, std::uint64_t target_bytes) {
  ByteCursor cursor(head);
  const std::uint64_t count = cursor.varint();
  if (count > kMaxGroupWindows || count > head.size() / 2) return corrupt("a group declares more windows than it can hold");
  windows_.reserve(static_cast<std::size_t>(count));
  std::uint64_t left = target_bytes;
  for (std::uint64_t i = 0; i < count; ++i) {
    const WindowRecord window = parse_window(cursor);
    if (!cursor.ok()) return corrupt("the table of windows is broken");
    if (!is_bounded(window, header_.window_bytes)) return corrupt("a window is larger than the header allows");
    if (window.target_length > left) return corrupt("the windows of a group add up to more than it declares");
    left -= window.target_length;
    for (std::size_t s = 0; s < kStreamCount; ++s) streams_[s].present |= window.sizes[s] != 0;
    windows_.push_back(window);
  }
  if (left != 0) return corrupt("the windows of a group add up to less than it declares");
  return open_streams({cursor.position(), cursor.available()});
}

Status GroupReader::open_streams(ByteSpan table) {
  ByteCursor cursor(table);
  std::uint64_t memory_bytes = 0;
  for (Stream& stream : streams_) {
    if (!stream.present) continue;
    const unsigned entry = cursor.u8();
    if ((entry & 15) >= kCodecCount) {
      return Error{ErrorCode::kUnsupportedFeature, "codec " + std::to_string(entry & 15) + " is not known; a newer bpatch may know it",
                   patch_.position()};
    }
    stream.codec = static_cast<CodecId>(entry & 15);
    stream.window_log = (entry >> 4) + kMinWindowLog;
    memory_bytes += decoder_memory_bytes(stream.codec, stream.window_log);
    if (memory_bytes > header_.decoder_memory_bytes) return corrupt("a group needs more memory than the header declares");
    BDELTA_ASSIGN(stream.decoder, make_decoder(stream.codec, stream.window_log));
  }
  if (!cursor.ok() || cursor.available() != 0) return corrupt("the table of streams is broken");
  return {};
}

// The next frame, which must belong to a stream that `window` still waits for: so what is held stays within one
// window's needs and a frame for each stream.
Status GroupReader::read_frame(const WindowRecord& window) {
  const unsigned id = patch_.u8();
  if (!patch_.ok()) return unread("a frame can't be read");
  if (id >= kStreamCount || !streams_[id].present) return corrupt("a frame belongs to no stream of its group");
  Stream& stream = streams_[id];
  if (stream.has(window.sizes[id])) return corrupt("a frame stands before its turn");
  std::uint64_t coded_bytes = stream.codec != CodecId::kStore ? patch_.varint() : 0;
  const std::uint64_t raw_bytes = patch_.varint();
  if (stream.codec == CodecId::kStore) coded_bytes = raw_bytes;
  if (!patch_.ok()) return unread("a frame can't be read");
  if (raw_bytes == 0 || raw_bytes > kMaxFrameBytes || coded_bytes > kMaxCodedFrameBytes ||
      patch_.position() > body_end_ || coded_bytes > body_end_ - patch_.position()) {
    return corrupt("a frame has an impossible size");
  }
  if (stream.taken > 0) {
    stream.raw.erase(stream.raw.begin(), stream.raw.begin() + static_cast<std::ptrdiff_t>(stream.taken));
    stream.taken = 0;
  }
  const std::size_t before = stream.raw.size();
  stream.raw.resize(before + static_cast<std::size_t>(raw_bytes));
  const MutableByteSpan out = MutableByteSpan(stream.raw).subspan(before);
  if (stream.codec == CodecId::kStore) {  // the bytes are where they belong without a copy more
    return patch_.read_exact(out) ? Status() : Status(unread("a frame can't be read"));
  }
  coded_.resize(static_cast<std::size_t>(coded_bytes));
  if (!patch_.read_exact(coded_)) return unread("a frame can't be read");
  return stream.decoder->decode(coded_, out);
}

Result<WindowRecord> GroupReader::next(StreamBytes& streams) {
  const WindowRecord& window = windows_[next_window_++];
  for (std::size_t i = 0; i < kStreamCount; ++i) {
    Stream& stream = streams_[i];
    // Frames stand in order of first need, so what is read for another stream on the way is needed now as well.
    while (!stream.has(window.sizes[i])) {
      if (patch_.position() >= body_end_) return corrupt("a group ends before its windows have their streams");
      BDELTA_TRY(read_frame(window));
    }
    if (stream.taken == 0 && stream.raw.size() == window.sizes[i]) {  // all of it: hand the memory over
      streams[i].swap(stream.raw);
      stream.raw.clear();
      continue;
    }
    const auto from = stream.raw.begin() + static_cast<std::ptrdiff_t>(stream.taken);
    streams[i].assign(from, from + static_cast<std::ptrdiff_t>(window.sizes[i]));
    stream.taken += static_cast<std::size_t>(window.sizes[i]);
  }
  return window;
}

Status GroupReader::close() {
  for (const Stream& stream : streams_) {
    if (stream.taken != stream.raw.size()) return corrupt("a stream is longer than its windows use");
  }
  if (patch_.position() != body_end_) return corrupt("a group has another size than it declares");
  return {};
}

}  // namespace bdelta::native
