#include "format/native/group_reader.hpp"

#include <algorithm>
#include <string>

#include "base/byte_cursor.hpp"
#include "base/try.hpp"

namespace bdelta::native {
namespace {

// Codecs may grow what they can't shrink by a little; more than this is no honest frame.
constexpr std::uint64_t kMaxCodedFrameBytes = kMaxFrameBytes + kMaxFrameBytes / 8;

// What a packed window has of streams out of scope; how many literals there are follows from its ops.
void parse_given_sizes(ByteCursor& head, GroupKind kind, const ModelScope& scope, WindowRecord& window) {
  for (std::size_t i = 0; i <= kResidualValues; ++i) {
    const bool carried = (streams_of(kind) >> i & 1) != 0;
    const bool used = carried && (i <= kDiagonals ? window.copy_count : window.run_count) > 0;
    if (used && !scope.has(i)) window.sizes[i] = head.varint();
  }
}

WindowRecord parse_window(ByteCursor& head, GroupKind kind, bool packed, const ModelScope& scope,
                          const std::optional<ContentsScope>& contents) {
  WindowRecord window;
  const std::uint64_t length_and_kind = head.varint();
  window.target_length = length_and_kind >> 1;
  window.plain = (length_and_kind & 1) == 0;
  if (window.plain) {
    window.diagonal_change = head.svarint();
    return window;
  }
  if (kind != GroupKind::kCovers) window.checksum = head.le<std::uint32_t>();
  if (kind != GroupKind::kContents) window.copy_count = head.varint();
  if (packed) {
    if (kind != GroupKind::kCovers) window.run_count = head.varint();
    parse_given_sizes(head, kind, scope, window);
    if (contents) window.sizes[code_stream(*contents)] = head.varint();
    return window;
  }
  const unsigned present = head.u8();
  window.unknown_streams = (present & ~streams_of(kind)) != 0;
  for (std::size_t i = 0; i < kStreamCount; ++i) {
    if (present >> i & 1) window.sizes[i] = head.varint();
  }
  return window;
}

}  // namespace

GroupReader::GroupReader(io::TypedReader& patch, const Header& header, std::uint64_t body_bytes, GroupKind kind,
                         CoverStreams* covers)
    : patch_(patch), header_(header), body_end_(patch.position() + body_bytes), kind_(kind), covers_(covers) {}

Error GroupReader::corrupt(const char* what) const {
  return {ErrorCode::kPatchCorrupt, std::string(what) + "; fetch the patch again", patch_.position()};
}

// After a failed read: truncation and I/O errors speak for themselves.
Error GroupReader::unread(const char* what) const {
  Status status = patch_.status();
  return status ? corrupt(what) : std::move(status).error();
}

// Every size is tied to the window's target bytes or to a limit of the format.
bool GroupReader::is_bounded(const WindowRecord& window) const {
  if (window.target_length == 0 || window.unknown_streams) return false;
  if (window.plain) return kind_ == GroupKind::kWhole;
  StreamSizes sizes = window.sizes;
  if (contents_) {
    if (sizes[code_stream(*contents_)] > most_code_bytes(window.target_length)) return false;
    sizes[code_stream(*contents_)] = 0;
    const bool has_runs = window.run_count > 0 || sizes[kResidualGaps] > 0 || sizes[kResidualLengths] > 0;
    if (contents_->misses && (has_runs || (contents_->literals && sizes[kLiterals] > 0))) return false;
  }
  return window.target_length <= header_.window_bytes && window.copy_count <= kMaxWindowOps &&
         window.run_count <= kMaxWindowRuns && sizes[kLiteralLengths] <= window.copy_count * kMaxVarintBytes &&
         sizes[kCopyLengths] <= window.copy_count * kMaxVarintBytes &&
         sizes[kDiagonals] <= window.copy_count * kMaxVarintBytes &&
         sizes[kResidualGaps] <= kMaxWindowRuns * kMaxVarintBytes &&
         sizes[kResidualLengths] <= kMaxWindowRuns * kMaxVarintBytes &&
         sizes[kResidualValues] <= window.target_length && sizes[kLiterals] <= window.target_length;
}

Status GroupReader::take_memory(std::uint64_t bytes) {
  memory_bytes_ += bytes;
  if (memory_bytes_ > header_.decoder_memory_bytes) return corrupt("a group needs more memory than the header declares");
  return {};
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
  ByteSpan rest = head;
  BDELTA_TRY(read_form(rest));
  return read_windows(rest, target_bytes);
}

Status GroupReader::read_form(ByteSpan& head) {
  if (head.empty()) return corrupt("a group has no head");
  const unsigned form = head[0];
  head = head.subspan(1);
  const unsigned table_log = form >> kFormTableShift;
  packed_ = (form & kFormPacked) != 0;
  has_literals_ = (form & kFormLiterals) != 0;
  const unsigned known = (header_.required_features & kFeatureContents) != 0 ? kFormKnown : kFormKnown & ~kFormContents;
  if ((form & 15 & ~known) != 0 || table_log > kMaxTableLog || (!packed_ && (form & ~kFormContents) != 0)) {
    return Error{ErrorCode::kUnsupportedFeature, "a group has form " + std::to_string(form) + "; a newer bpatch may know it",
                 patch_.position()};
  }
  if (has_literals_ && kind_ == GroupKind::kCovers) return corrupt("a group of covers has literals");
  if (packed_) {
    if (head.empty() || (head[0] & ~(kModelStreams & streams_of(kind_))) != 0) return corrupt("a packed group has streams that can't be packed");
    scope_ = {head[0], table_log};
    head = head.subspan(1);
  }
  return (form & kFormContents) != 0 ? read_contents_scope(head) : Status();
}

Status GroupReader::read_contents_scope(ByteSpan& head) {
  if (kind_ == GroupKind::kCovers || head.empty()) return corrupt("a group has coded contents where none may be");
  const unsigned byte = head[0];
  head = head.subspan(1);
  ContentsScope scope;
  scope.run_matches = (header_.required_features & kFeatureRunMatches) != 0;
  scope.literals = (byte & kContentsLiterals) != 0;
  scope.misses = (byte & kContentsMisses) != 0;
  const unsigned log = byte >> kContentsLogShift & 3;
  scope.light = log == kContentsLight && scope.literals && (header_.required_features & kFeatureLightLiterals) != 0;
  scope.literal_log = scope.light ? kMinLiteralLog : kMinLiteralLog + log;
  scope.lane_count = (byte >> kContentsLaneShift) + 1;
  if (scope.misses) {
    if (head.empty()) return corrupt("the head of a group ends too early");
    scope.miss_log = head[0];
    head = head.subspan(1);
  }
  const bool known = scope.literal_log <= kMaxLiteralLog && scope.miss_log >= kMinMissLog && scope.miss_log <= kMaxMissLog;
  constexpr unsigned kResidualStreams = 1u << kResidualGaps | 1u << kResidualLengths | 1u << kResidualValues;
  const bool residual_twice = packed_ && scope.misses && (scope_.streams & kResidualStreams) != 0;
  const bool literals_twice = scope.misses && scope.literals && has_literals_;
  if ((!scope.literals && !scope.misses) || !known || residual_twice || literals_twice) {
    return corrupt("the contents of a group are coded in a way that does not exist");
  }
  contents_ = scope;
  return take_memory(contents_memory_bytes(scope));
}

Status GroupReader::read_windows(ByteSpan head, std::uint64_t target_bytes) {
  ByteCursor cursor(head);
  const std::uint64_t count = cursor.varint();
  if (count > kMaxGroupWindows || count > head.size() / 2) return corrupt("a group declares more windows than it can hold");
  windows_.reserve(static_cast<std::size_t>(count));
  std::uint64_t left = target_bytes;
  for (std::uint64_t i = 0; i < count; ++i) {
    const WindowRecord window = parse_window(cursor, kind_, packed_, scope_, contents_);
    if (!cursor.ok()) return corrupt("the table of windows is broken");
    if (!is_bounded(window)) return corrupt("a window is larger than the header allows");
    if (window.target_length > left) return corrupt("the windows of a group add up to more than it declares");
    left -= window.target_length;
    coded_count_ += !window.plain;
    for (std::size_t s = 0; s < kStreamCount; ++s) streams_[s].present |= window.sizes[s] != 0;
    windows_.push_back(window);
  }
  if (left != 0) return corrupt("the windows of a group add up to less than it declares");
  return open_streams({cursor.position(), cursor.available()});
}

Status GroupReader::open_streams(ByteSpan table) {
  ByteCursor cursor(table);
  if (packed_) {
    streams_[kLiterals].present = has_literals_;
    BDELTA_TRY(take_memory(model_memory_bytes(scope_)));
    CodeFeed& feed = *this;
    unpacker_ = std::make_unique<WindowUnpacker>(scope_, feed);
  }
  for (Stream& stream : streams_) {
    if (!stream.present) continue;
    const unsigned entry = cursor.u8();
    if ((entry & 15) >= kCodecCount) {
      return Error{ErrorCode::kUnsupportedFeature, "codec " + std::to_string(entry & 15) + " is not known; a newer bpatch may know it",
                   patch_.position()};
    }
    stream.codec = static_cast<CodecId>(entry & 15);
    if (stream.codec == CodecId::kStore && entry >> 4 != 0) return corrupt("a stored stream declares a window");
    if (contents_ && &stream == &streams_[code_stream(*contents_)] && stream.codec != CodecId::kStore) {
      return corrupt("a code is compressed");
    }
    stream.window_log = (entry >> 4) + kMinWindowLog;
    BDELTA_TRY(take_memory(decoder_memory_bytes(stream.codec, stream.window_log)));
    BDELTA_ASSIGN(stream.decoder, make_decoder(stream.codec, stream.window_log));
  }
  if (!cursor.ok() || cursor.available() != 0) return corrupt("the table of streams is broken");
  return {};
}

// What the next frame belongs to; it stays the next one.
Result<unsigned> GroupReader::next_frame_id() {
  if (!frame_id_) {
    frame_id_ = patch_.u8();
    if (!patch_.ok()) return unread("a frame can't be read");
  }
  return *frame_id_;
}

// The head of the next frame, which must belong to a stream that `window` still waits for: so what is held stays within
// one window's needs and a frame for each stream. `lacks`: a stream that waits for more than it holds.
Result<GroupReader::FrameHead> GroupReader::read_frame_head(const WindowRecord& window, std::size_t lacks) {
  if (!frame_id_ && patch_.position() >= body_end_) return corrupt("a group ends before its windows have their streams");
  BDELTA_ASSIGN(const unsigned id, next_frame_id());
  frame_id_.reset();
  if (id >= kStreamCount || !streams_[id].present) return corrupt("a frame belongs to no stream of its group");
  const Stream& stream = streams_[id];
  if (id != lacks && stream.has(window.sizes[id])) return corrupt("a frame stands before its turn");
  FrameHead head;
  head.id = id;
  head.coded_bytes = stream.codec != CodecId::kStore ? patch_.varint() : 0;
  head.raw_bytes = patch_.varint();
  if (stream.codec == CodecId::kStore) head.coded_bytes = head.raw_bytes;
  if (!patch_.ok()) return unread("a frame can't be read");
  if (head.raw_bytes == 0 || head.raw_bytes > kMaxFrameBytes || head.coded_bytes > kMaxCodedFrameBytes ||
      patch_.position() > body_end_ || head.coded_bytes > body_end_ - patch_.position()) {
    return corrupt("a frame has an impossible size");
  }
  return head;
}

// The bytes of a frame; `out` is of its raw size.
Status GroupReader::read_frame(const FrameHead& head, MutableByteSpan out) {
  const Stream& stream = streams_[head.id];
  if (stream.codec == CodecId::kStore) {  // the bytes are where they belong without a copy more
    return patch_.read_exact(out) ? Status() : Status(unread("a frame can't be read"));
  }
  renew(coded_, static_cast<std::size_t>(head.coded_bytes));
  if (!patch_.read_exact(coded_)) return unread("a frame can't be read");
  return stream.decoder->decode(coded_, out);
}

// A frame of which not all is for the window at hand.
Status GroupReader::keep_frame(const FrameHead& head) {
  Stream& stream = streams_[head.id];
  stream.raw.erase(stream.raw.begin(), stream.raw.begin() + static_cast<std::ptrdiff_t>(stream.taken));
  stream.taken = 0;
  const std::size_t before = stream.raw.size();
  reserve_to_fill(stream.raw, before + static_cast<std::size_t>(head.raw_bytes));  // and no more
  stream.raw.resize(before + static_cast<std::size_t>(head.raw_bytes));
  return read_frame(head, MutableByteSpan(stream.raw).subspan(before));
}

// What the window needs of a stream: what was read ahead, then whole frames, each straight to its place, and of the last
// one the beginning.
Status GroupReader::take(const WindowRecord& window, std::size_t id, StreamBytes& streams) {
  Stream& stream = streams_[id];
  const auto size = static_cast<std::size_t>(window.sizes[id]);
  if (size > 0 && !stream.present) return corrupt("a window needs a stream that its group does not have");
  renew(streams[id], size);
  MutableByteSpan lacking = streams[id];
  for (;;) {
    const std::size_t some = std::min(lacking.size(), stream.raw.size() - stream.taken);
    std::copy_n(stream.raw.begin() + static_cast<std::ptrdiff_t>(stream.taken), some, lacking.begin());
    stream.taken += some;
    lacking = lacking.subspan(some);
    if (lacking.empty()) return {};
    // Frames stand in order of first need, so what is read for another stream on the way is needed now as well.
    BDELTA_ASSIGN(const FrameHead head, read_frame_head(window, id));
    if (head.id != id || head.raw_bytes > lacking.size()) {
      BDELTA_TRY(keep_frame(head));
    } else {
      BDELTA_TRY(read_frame(head, lacking.first(static_cast<std::size_t>(head.raw_bytes))));
      lacking = lacking.subspan(static_cast<std::size_t>(head.raw_bytes));
    }
  }
}

// The code of a packed group, as its decoder asks for it. Where another frame or the end of the group stands, the code
// has ended; what can't be read is told by code_status_.
ByteSpan GroupReader::more() {
  ByteSpan code;
  code_status_ = read_code(code);
  return code;
}

Status GroupReader::read_code(ByteSpan& code) {
  if (!frame_id_ && patch_.position() >= body_end_) return {};
  BDELTA_ASSIGN(const unsigned id, next_frame_id());
  if (id != kCodeFrameId) return {};
  frame_id_.reset();
  const std::uint64_t bytes = patch_.varint();
  if (!patch_.ok()) return unread("a frame can't be read");
  if (bytes == 0 || bytes > kMaxFrameBytes || patch_.position() > body_end_ || bytes > body_end_ - patch_.position()) {
    return corrupt("a frame has an impossible size");
  }
  renew(code_, static_cast<std::size_t>(bytes));
  if (!patch_.read_exact(code_)) return unread("a frame can't be read");
  code = code_;
  return {};
}

// Streams out of scope first: the others are told from them. Literals last: the numbers tell how many they are.
Status GroupReader::unpack(WindowRecord& window, StreamBytes& streams) {
  for (std::size_t i = 0; i <= kResidualValues; ++i) {
    if (!scope_.has(i) && carries(i)) BDELTA_TRY(take(window, i, streams));
    if (kind_ == GroupKind::kCovers && i > kDiagonals) streams[i].clear();
  }
  const std::uint64_t code_bytes = window.sizes[kLiterals];
  Status unpacked = unpacker_->unpack(window, streams);
  BDELTA_TRY(std::move(code_status_));
  code_status_ = {};
  BDELTA_TRY(std::move(unpacked));
  if (contents_ && contents_->literals) window.sizes[kLiterals] = code_bytes;
  return kind_ == GroupKind::kCovers ? Status() : take(window, kLiterals, streams);
}

std::optional<ContentsPart> GroupReader::contents_part() const {
  if (!contents_ || windows_[next_window_ - 1].plain) return std::nullopt;
  ContentsPart part;
  part.scope = *contents_;
  const std::uint64_t number = coded_number_ - 1;
  part.lane = static_cast<unsigned>(number % contents_->lane_count);
  part.turn = number / contents_->lane_count;
  part.last = number + contents_->lane_count >= coded_count_;
  return part;
}

Result<WindowRecord> GroupReader::next(StreamBytes& streams) {
  WindowRecord window = windows_[next_window_++];
  coded_number_ += !window.plain;
  if (covers_) {
    covers_->fill(window.target_length, window, streams);
    if (window.copy_count > kMaxWindowOps) return corrupt("a window has more copies than are allowed");
  }
  if (packed_) {
    if (window.plain) {
      unpacker_->plain(window);
    } else {
      BDELTA_TRY(unpack(window, streams));
    }
    return window;
  }
  for (std::size_t i = 0; i < kStreamCount; ++i) {
    if (carries(i)) BDELTA_TRY(take(window, i, streams));
  }
  return window;
}

Status GroupReader::close() {
  for (const Stream& stream : streams_) {
    if (stream.taken != stream.raw.size()) return corrupt("a stream is longer than its windows use");
  }
  if (unpacker_ && !unpacker_->ends_well()) return corrupt("a code does not end with its windows");
  if (frame_id_ || patch_.position() != body_end_) return corrupt("a group has another size than it declares");
  return {};
}

}  // namespace bdelta::native
