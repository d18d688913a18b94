// Groups as the encoder leaves them, and what is made of them before they are compressed.
#pragma once

#include <vector>

#include "delta/cover.hpp"
#include "model/streams.hpp"

namespace bdelta {

// One group on its way into a patch: the table of its windows and its streams, not yet compressed.
struct GroupDraft {
  GroupKind kind = GroupKind::kWhole;
  std::vector<WindowRecord> windows;
  StreamBytes streams;
  std::array<Bytes, kOpStreamCount> apart;  // the streams of ops of windows that are predicted; sizes count in these there
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
  [[nodiscard]] std::uint64_t target_bytes() const noexcept;  // of all its windows
};

// What windows with modelled bytes may leave to models.
struct ModelledBytes {
  std::uint64_t literals = 0;
  std::uint64_t misses = 0;  // copied bytes that change
  std::uint64_t copied = 0;
};
[[nodiscard]] ModelledBytes modelled_bytes_of(const GroupDraft& draft) noexcept;

// The ops, and of `streams`, as bits, what windows have that are not modelled.
[[nodiscard]] GroupDraft without_modelled(const GroupDraft& draft, unsigned streams);

// Groups of kind kCovers that tell the covers of the windows that are predicted. Together they are as long as `groups`, which
// follow one another; each has covers, unless there are none.
[[nodiscard]] std::vector<GroupDraft> covers_of(const std::vector<GroupDraft>& groups);

// A group of that kind that tells these covers, which ascend, from where the first begins.
[[nodiscard]] GroupDraft group_of_covers(const Covers& covers);

// The windows of target[begin, end) without any copy: the table alone, as the only stream is those very bytes.
[[nodiscard]] std::vector<WindowRecord> literal_windows(ByteSpan target, std::uint64_t begin, std::uint64_t end,
                                                        std::uint64_t window_bytes);

// Makes `next`, which begins where `group` ends in the target, a part of it. What comes out is what encoding the segments
// of both at once gives, but that a window ends between them. Plain windows of one diagonal that meet become one.
void join_drafts(GroupDraft& group, GroupDraft&& next);

}  // namespace bdelta
