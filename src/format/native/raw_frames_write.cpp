#include <algorithm>

#include "base/try.hpp"
#include "base/varint.hpp"
#include "format/native/group_writer.hpp"
#include "format/native/layout.hpp"
#include "format/native/raw_frames.hpp"

namespace bdelta::native {

Status append_frames(Bytes& record, ByteSpan raw, const CodecSettings& codec) {
  BDELTA_ASSIGN(const CodedStream stream, compress_stream(raw, codec));
  const unsigned window = stream.codec == CodecId::kStore ? 0 : stream.window_log - kMinWindowLog;
  record.push_back(static_cast<std::uint8_t>(static_cast<unsigned>(stream.codec) | window << 4));
  std::uint64_t left = raw.size();
  for (const Bytes& frame : stream.frames) {
    const std::uint64_t frame_bytes = std::min<std::uint64_t>(left, kMaxFrameBytes);
    append_varint(record, frame.size());
    append_varint(record, frame_bytes);
    append(record, frame);
    left -= frame_bytes;
  }
  return {};
}

std::uint64_t frame_decoder_bytes(std::uint64_t raw_bytes, const CodecSettings& codec) noexcept {
  return decoder_memory_bytes(codec.id, window_log_for(raw_bytes, codec.max_window_log)) + 3 * kMaxFrameBytes;
}

}  // namespace bdelta::native
