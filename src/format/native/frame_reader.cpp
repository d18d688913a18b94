#include "format/native/frame_reader.hpp"

#include <algorithm>
#include <string>

#include "base/try.hpp"

namespace bdelta::native {
namespace {

// Codecs may grow what they can't shrink by a little; more than this is no honest frame.
constexpr std::uint64_t kMaxCodedFrameBytes = kMaxFrameBytes + kMaxFrameBytes / 8;

constexpr std::size_t kLeastRoom = std::size_t{64} << 10;  // for more of a stream

}  // namespace

Error FrameReader::corrupt(const char* what) const {
  return {ErrorCode::kPatchCorrupt, std::string(what) + "; fetch the patch again", patch_.position()};
}

Error FrameReader::unread(const char* what) const {
  Status status = patch_.status();
  return status ? corrupt(what) : std::move(status).error();
}

bool FrameReader::reaches_beyond(std::uint64_t bytes) const noexcept {
  return patch_.position() > body_end_ || bytes > body_end_ - patch_.position();
}

// A packed group needs literals, and modelled bytes behind them, each alone; all else is needed at once.
bool FrameReader::is_early(std::size_t id, std::size_t lacks) const noexcept {
  return is_packed_ && id != lacks && std::max(id, lacks) >= kLiterals;
}

Status FrameReader::open(const std::array<StreamCode, kStreamCount>& codes, bool packed) {
  is_packed_ = packed;
  for (std::size_t id = 0; id < kStreamCount; ++id) {
    streams_[id].code = codes[id];
    if (!codes[id].present) continue;
    BDELTA_ASSIGN(streams_[id].decoder, make_decoder(codes[id].codec, codes[id].window_log));
  }
  return {};
}

// What the next frame belongs to; it stays the next one.
Result<unsigned> FrameReader::next_id() {
  if (!next_id_) {
    next_id_ = patch_.u8();
    if (!patch_.ok()) return unread("a frame can't be read");
  }
  return *next_id_;
}

// The head of the next frame, which must belong to a stream that `window` still waits for. `lacks`: a stream that waits for
// more than it holds.
Result<FrameReader::FrameHead> FrameReader::read_head(const WindowRecord& window, std::size_t lacks) {
  if (at_end()) return corrupt("a group ends before its windows have their streams");
  BDELTA_ASSIGN(const unsigned id, next_id());
  next_id_.reset();
  if (id >= kStreamCount || !streams_[id].code.present) return corrupt("a frame belongs to no stream of its group");
  const Stream& stream = streams_[id];
  if (is_early(id, lacks) || (id != lacks && stream.has(window.sizes[id]))) return corrupt("a frame stands before its turn");
  FrameHead head;
  head.id = id;
  head.coded_bytes = !stream.is_stored() ? patch_.varint() : 0;
  head.raw_bytes = patch_.varint();
  if (stream.is_stored()) head.coded_bytes = head.raw_bytes;
  if (!patch_.ok()) return unread("a frame can't be read");
  if (head.raw_bytes == 0 || head.raw_bytes > kMaxFrameBytes || head.coded_bytes > kMaxCodedFrameBytes ||
      reaches_beyond(head.coded_bytes)) {
    return corrupt("a frame has an impossible size");
  }
  return head;
}

// The bytes of a frame; `out` is of its raw size.
Status FrameReader::read(const FrameHead& head, MutableByteSpan out) {
  const Stream& stream = streams_[head.id];
  coded_bytes_[head.id] += head.coded_bytes;
  if (stream.is_stored()) {  // the bytes are where they belong without a copy more
    return patch_.read_exact(out) ? Status() : Status(unread("a frame can't be read"));
  }
  renew(coded_, static_cast<std::size_t>(head.coded_bytes));
  if (!patch_.read_exact(coded_)) return unread("a frame can't be read");
  return stream.decoder->decode(coded_, out);
}

// A frame of which not all is for the window at hand.
Status FrameReader::keep(const FrameHead& head) {
  Stream& stream = streams_[head.id];
  stream.raw.erase(stream.raw.begin(), stream.raw.begin() + static_cast<std::ptrdiff_t>(stream.taken));
  stream.taken = 0;
  const std::size_t before = stream.raw.size();
  const auto raw_bytes = static_cast<std::size_t>(head.raw_bytes);
  // And no more, but that many small frames don't move all of them again and again.
  if (stream.raw.capacity() - before < raw_bytes) reserve_to_fill(stream.raw, before + std::max(raw_bytes, kLeastRoom));
  stream.raw.resize(before + static_cast<std::size_t>(head.raw_bytes));
  return read(head, MutableByteSpan(stream.raw).subspan(before));
}

// What was read ahead, then whole frames, each straight to its place, and of the last one the beginning.
Status FrameReader::take(const WindowRecord& window, std::size_t id, Bytes& out) {
  Stream& stream = streams_[id];
  const auto size = static_cast<std::size_t>(window.sizes[id]);
  if (size > 0 && !stream.code.present) return corrupt("a window needs a stream that its group does not have");
  renew(out, size);
  MutableByteSpan lacking = out;
  for (;;) {
    const std::size_t some = std::min(lacking.size(), stream.raw.size() - stream.taken);
    std::copy_n(stream.raw.begin() + static_cast<std::ptrdiff_t>(stream.taken), some, lacking.begin());
    stream.taken += some;
    lacking = lacking.subspan(some);
    if (lacking.empty()) return {};
    // Frames stand in order of first need, so what is read for another stream on the way is needed now as well.
    BDELTA_ASSIGN(const FrameHead head, read_head(window, id));
    if (head.id != id || head.raw_bytes > lacking.size()) {
      BDELTA_TRY(keep(head));
    } else {
      BDELTA_TRY(read(head, lacking.first(static_cast<std::size_t>(head.raw_bytes))));
      lacking = lacking.subspan(static_cast<std::size_t>(head.raw_bytes));
    }
  }
}

Status FrameReader::take_code(ByteSpan& code) {
  code = {};
  if (at_end()) return {};
  BDELTA_ASSIGN(const unsigned id, next_id());
  if (id != kCodeFrameId) return {};
  next_id_.reset();
  const std::uint64_t bytes = patch_.varint();
  if (!patch_.ok()) return unread("a frame can't be read");
  if (bytes == 0 || bytes > kMaxFrameBytes || reaches_beyond(bytes)) return corrupt("a frame has an impossible size");
  renew(code_, static_cast<std::size_t>(bytes));
  if (!patch_.read_exact(code_)) return unread("a frame can't be read");
  code = code_;
  code_bytes_ += bytes;
  return {};
}

Status FrameReader::close() const {
  for (const Stream& stream : streams_) {
    if (stream.taken != stream.raw.size()) return corrupt("a stream is longer than its windows use");
  }
  if (next_id_ || patch_.position() != body_end_) return corrupt("a group has another size than it declares");
  return {};
}

}  // namespace bdelta::native
