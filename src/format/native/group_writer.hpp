// A group as it stands in the patch: table of windows, table of streams, frames in order of first need.
#pragma once

#include <optional>

#include "codec/codec.hpp"
#include "model/window_packer.hpp"

namespace bdelta::native {

// A stream, compressed.
struct CodedStream {
  CodecId codec = CodecId::kStore;
  unsigned window_log = 0;
  std::vector<Bytes> frames;  // of kMaxFrameBytes raw bytes each, the last of what is left
};

// Compresses one stream. Short ones, and those that would grow, are stored.
Result<CodedStream> compress_stream(const Bytes& raw, const CodecSettings& settings);

// A group in one of the two forms: numbers in streams of their own, or packed.
struct CodedStreams {
  std::vector<CodedStream> streams = std::vector<CodedStream>(kStreamCount);
  std::optional<PackedGroup> packed;  // in place of the streams that it carries
};

struct CodedGroup {
  Bytes record;                      // tag, sizes, head and frames
  std::uint64_t body_bytes = 0;
  std::uint64_t memory_bytes = 0;    // decoders of all streams together
};

// coded.streams[i] belongs to draft.streams[i].
[[nodiscard]] CodedGroup assemble_group(const GroupDraft& draft, const CodedStreams& coded);

}  // namespace bdelta::native
