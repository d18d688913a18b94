// From covers to the streams of a group: the mirror image of window_decoder.
#pragma once

#include <vector>

#include "delta/cover.hpp"
#include "model/streams.hpp"
#include "parallel/watch.hpp"

namespace bdelta {

// One group on its way into a patch: the table of its windows and its streams, not yet compressed.
struct GroupDraft {
  std::vector<WindowRecord> windows;
  StreamBytes streams;
  ByteSpan target;  // its target bytes where all windows are coded, else empty
};

// A stretch of the target as the plan of a patch sees it. Plain: exactly source[diagonal + target_pos).
struct Segment {
  std::uint64_t target_pos = 0;
  std::uint64_t target_length = 0;
  bool plain = false;
  std::int64_t diagonal = 0;  // plain only
};

// Encodes the segments of a group, in order. `covers` are those of the whole target. Windows end at window_bytes of
// target, or earlier where a limit of streams.hpp is near.
// Bytes of coded windows are units of `watch`, which may be null.
[[nodiscard]] GroupDraft encode_group(ByteSpan source, ByteSpan target, const Covers& covers,
                                      const std::vector<Segment>& segments, std::uint64_t window_bytes,
                                      Watch* watch = nullptr);

// The same for target[begin, end) without any copy: the table alone, as the only stream is those very bytes.
[[nodiscard]] std::vector<WindowRecord> literal_windows(ByteSpan target, std::uint64_t begin, std::uint64_t end,
                                                        std::uint64_t window_bytes);

}  // namespace bdelta
