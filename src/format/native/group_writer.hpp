// A group as it stands in the patch: table of windows, table of streams, frames in order of first need.
#pragma once

#include "codec/codec.hpp"
#include "model/window_encoder.hpp"

namespace bdelta::native {

// A stream, compressed.
struct CodedStream {
  CodecId codec = CodecId::kStore;
  unsigned window_log = 0;
  std::vector<Bytes> frames;  // of kMaxFrameBytes raw bytes each, the last of what is left
};

// Compresses one stream. Short ones, and those that would grow, are stored.
Result<CodedStream> compress_stream(const Bytes& raw, const CodecSettings& settings);

struct CodedGroup {
  Bytes record;                      // what stands before the body: tag and sizes
  Bytes body;                        // head and frames
  std::uint64_t memory_bytes = 0;    // decoders of all streams together
};

// `coded[i]` belongs to draft.streams[i].
[[nodiscard]] CodedGroup assemble_group(const GroupDraft& draft, const std::vector<CodedStream>& coded);

}  // namespace bdelta::native
