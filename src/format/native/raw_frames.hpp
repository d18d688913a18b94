// A stream of its own in a record: the codec's byte and frames that nothing else stands between.
#pragma once

#include "base/bytes.hpp"
#include "codec/codec.hpp"
#include "io/typed_reader.hpp"

namespace bdelta::native {

// Appends raw_bytes decoded bytes to `out`, whose memory grows by a frame at a time. Decoder and bytes may take
// memory_bytes. Errors: kPatchCorrupt, kUnsupportedFeature for a codec that is not known.
Status read_frames(io::TypedReader& patch, const char* record, std::uint64_t raw_bytes, std::uint64_t memory_bytes,
                   Bytes& out);

// The mirror image of read_frames.
Status append_frames(Bytes& record, ByteSpan raw, const CodecSettings& codec);

// What read_frames takes beside the bytes it gives.
[[nodiscard]] std::uint64_t frame_decoder_bytes(std::uint64_t raw_bytes, const CodecSettings& codec) noexcept;

}  // namespace bdelta::native
