// From covers to the streams of a group: the mirror image of window_decoder.
#pragma once

#include <vector>

#include "delta/cover.hpp"
#include "delta/file_pieces.hpp"
#include "delta/word_map.hpp"
#include "model/streams.hpp"
#include "parallel/watch.hpp"

namespace bdelta {

// Where positions of the target begin among those of the source, if no cover takes any.
inline constexpr std::uint64_t kNoTargetCopies = ~std::uint64_t{0};

// One group on its way into a patch: the table of its windows and its streams, not yet compressed.
struct GroupDraft {
  GroupKind kind = GroupKind::kWhole;
  std::vector<WindowRecord> windows;
  StreamBytes streams;
  std::uint64_t target_pos = 0;     // where it begins
  std::int64_t last_diagonal = 0;   // where the coder's state ends
  std::uint64_t coded_bytes = 0;    // target bytes of windows that are not plain
  std::size_t segment_count = 0;    // that it was made of
  ByteSpan target;                  // its target bytes where all windows are coded and they are at hand, else empty
  std::uint64_t cover_count = 0;    // of those target bytes: covers that begin there
  std::uint64_t covered_bytes = 0;  // and what of them covers copy
  bool copies_target = false;       // some of its copies are of the target,
  std::uint64_t history_bytes = 0;  // and begin so far in front of their window at most

  [[nodiscard]] std::uint64_t stream_bytes() const noexcept;
};

// A stretch of the target as the plan of a patch sees it. Plain: exactly source[diagonal + target_pos).
struct Segment {
  std::uint64_t target_pos = 0;
  std::uint64_t target_length = 0;
  bool plain = false;
  std::int64_t diagonal = 0;  // plain only
};

// Encodes the segments of a group, in order. `covers` are all that touch the segments, which lie in the piece of target
// at hand; so do the bytes they copy in the pieces of source. Windows end at window_bytes of target, or earlier where a
// limit of streams.hpp is near. `words`, which may be null, are replaced in what coded windows copy. Bytes of coded
// windows are units of `watch`, which may be null. What covers take from target_from on is the target's: `source` then has
// its bytes there, and no words are replaced in them.
[[nodiscard]] GroupDraft encode_group(const FilePieces& source, const FilePieces& target, const Covers& covers,
                                      const std::vector<Segment>& segments, std::uint64_t window_bytes,
                                      const WordMap* words = nullptr, Watch* watch = nullptr,
                                      std::uint64_t target_from = kNoTargetCopies);

// The same for one segment that is not plain and has its covers apart: `copied` are the bytes that copies give before
// their residual, at the positions of the target. Says what encode_group says of a group of kind kContents.
[[nodiscard]] GroupDraft encode_contents(const FilePieces& copied, const FilePieces& target, const Covers& covers,
                                         const Segment& segment, std::uint64_t window_bytes,
                                         const WordMap* words = nullptr, Watch* watch = nullptr);

// The group of kind kCovers that belongs to one of kind kContents.
[[nodiscard]] GroupDraft covers_of(const GroupDraft& contents);

// The same for target[begin, end) without any copy: the table alone, as the only stream is those very bytes.
[[nodiscard]] std::vector<WindowRecord> literal_windows(ByteSpan target, std::uint64_t begin, std::uint64_t end,
                                                        std::uint64_t window_bytes);

// Makes `next`, which begins where `group` ends in the target, a part of it: what comes out is what encoding the segments
// of both at once gives, but that a window ends between them. Plain windows of one diagonal that meet become one.
void join_drafts(GroupDraft& group, GroupDraft&& next);

}  // namespace bdelta
