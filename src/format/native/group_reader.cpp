#include "format/native/group_reader.hpp"

#include "base/try.hpp"

namespace bdelta::native {

GroupReader::GroupReader(io::TypedReader& patch, const Header& header, std::uint64_t body_end, GroupKind kind,
                         CoverStreams* covers)
    : patch_(patch), header_(header), body_end_(body_end), kind_(kind), covers_(covers),
      frames_(patch, body_end_) {}

Status GroupReader::open(std::uint64_t target_bytes) {
  const std::uint64_t head_bytes = patch_.varint();
  if (!patch_.ok()) return frames_.unread("the head of a group can't be read");
  if (head_bytes > kMaxGroupHeadBytes || patch_.position() > body_end_ ||
      head_bytes > body_end_ - patch_.position()) {
    return frames_.corrupt("the head of a group is larger than the group");
  }
  Bytes head(static_cast<std::size_t>(head_bytes));
  if (!patch_.read_exact(head)) return frames_.unread("the head of a group can't be read");
  BDELTA_ASSIGN(tables_, parse_group_tables(head, kind_, header_, target_bytes, patch_.position()));
  if (tables_.packed) {
    CodeFeed& feed = *this;
    unpacker_ = std::make_unique<WindowUnpacker>(tables_.scope, feed);
  }
  return frames_.open(tables_.streams, tables_.packed);
}

// As the decoder of the code asks for it; what can't be read is told by code_status_.
ByteSpan GroupReader::more() {
  ByteSpan code;
  code_status_ = frames_.take_code(code);
  return code;
}

// Streams out of scope first: the others are told from them. Literals later: the numbers tell how many they are.
Status GroupReader::unpack(WindowRecord& window, StreamBytes& streams) {
  for (std::size_t i = 0; i <= kResidualValues; ++i) {
    if (!tables_.scope.has(i) && !stands_apart(window, i)) BDELTA_TRY(frames_.take(window, i, streams[i]));
  }
  Status unpacked = unpacker_->unpack(window, streams);
  BDELTA_TRY(std::move(code_status_));
  code_status_ = {};
  BDELTA_TRY(std::move(unpacked));
  if ((streams_of(window, tables_.modelled) >> kLiterals & 1) == 0) window.sizes[kLiterals] = 0;
  BDELTA_TRY(frames_.take(window, kLiterals, streams[kLiterals]));
  return frames_.take(window, kModelledCode, streams[kModelledCode]);
}

std::optional<ModelledPart> GroupReader::modelled_part() const {
  if (!tables_.windows[next_window_ - 1].modelled) return std::nullopt;
  ModelledPart part;
  part.scope = tables_.modelled;
  const std::uint64_t number = modelled_number_ - 1;
  part.lane = static_cast<unsigned>(number % part.scope.lane_count);
  part.turn = number / part.scope.lane_count;
  part.last = number + part.scope.lane_count >= tables_.modelled_count;
  return part;
}

Result<WindowRecord> GroupReader::next(std::uint64_t target_pos, std::int64_t diagonal, StreamBytes& streams) {
  WindowRecord window = tables_.windows[next_window_++];
  modelled_number_ += window.modelled;
  if (window.predicted) {
    covers_->fill(target_pos, diagonal, window, streams);
    if (window.copy_count > kMaxWindowCopies) return frames_.corrupt("a window has more copies than are allowed");
  }
  if (tables_.packed) {
    if (window.plain) {
      unpacker_->plain(window);
    } else {
      BDELTA_TRY(unpack(window, streams));
    }
    return window;
  }
  for (std::size_t i = 0; i < kStreamCount; ++i) {
    if (!stands_apart(window, i)) BDELTA_TRY(frames_.take(window, i, streams[i]));
  }
  return window;
}

void GroupReader::measure(MeteredGroup& group) const {
  group.kind = kind_;
  group.coded_bytes = frames_.coded_bytes();
  group.code_bytes = frames_.code_bytes();
  group.code_streams = tables_.scope.streams;
}

Status GroupReader::close() {
  if (unpacker_ && !unpacker_->ends_well()) return frames_.corrupt("a code does not end with its windows");
  return frames_.close();
}

}  // namespace bdelta::native
