// A group as it stands in the patch: table of windows, table of streams, frames in order of first need.
#pragma once

#include <atomic>
#include <optional>

#include "codec/codec.hpp"
#include "model/modelled_packer.hpp"
#include "model/window_packer.hpp"

namespace bdelta::native {

// The bytes that a patch may take, spent while its streams are being compressed: so one that will be too large
// is known long before it is whole. Any number of threads.
class FrameBudget {
 public:
  explicit FrameBudget(std::uint64_t limit_bytes) noexcept : limit_bytes_(limit_bytes) {}

  // Counts bytes that the patch will have at least; kPatchTooLarge beyond the limit.
  Status spend(std::uint64_t bytes);

  // What has been spent for good, once it is known exactly.
  void set_spent(std::uint64_t bytes) noexcept { spent_bytes_ = bytes; }

 private:
  const std::uint64_t limit_bytes_;
  std::atomic<std::uint64_t> spent_bytes_{0};
};

// What compression looks at while it works; both may be null.
struct CompressContext {
  Watch* watch = nullptr;         // raw bytes are its units, …
  FrameBudget* budget = nullptr;  // pays for each frame, at most its raw bytes: what a stored stream would take
  bool counts = true;             // … or nothing is, of what is no more than an estimate
};

// A stream, compressed.
struct CodedStream {
  CodecId codec = CodecId::kStore;
  unsigned window_log = 0;
  std::vector<Bytes> frames;  // of kMaxFrameBytes raw bytes each, the last of what is left
};

// Bytes of all frames.
[[nodiscard]] std::uint64_t coded_bytes(const CodedStream& stream) noexcept;

// Compresses one stream. Short ones, those that would grow, and those in which samples find nothing to save are stored.
Result<CodedStream> compress_stream(ByteSpan raw, const CodecSettings& settings, const CompressContext& context = {});

// A group in one of the two forms: numbers in streams of their own, or packed.
struct CodedStreams {
  std::vector<CodedStream> streams = std::vector<CodedStream>(kStreamCount);
  std::optional<PackedGroup> packed;  // in place of the streams that it carries
  ModelledScope modelled;  // of windows with modelled bytes, if there are any
};

struct CodedGroup {
  Bytes body;                        // of its record
  std::uint64_t memory_bytes = 0;    // decoders of all streams together
  std::uint64_t features = 0;        // required ones that the patch needs for it
};

// coded.streams[i] is the stream i of the windows; where bytes are modelled, the windows are those of join_lanes.
[[nodiscard]] CodedGroup assemble_group(std::vector<WindowRecord> windows, const CodedStreams& coded);

}  // namespace bdelta::native
