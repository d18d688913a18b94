#include "create/group_pieces.hpp"

#include <algorithm>
#include <utility>

#include "match/byte_range.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kMostPieceBytes = std::uint64_t{8} << 20;

struct GroupPiece {
  std::size_t group;
  GroupOutline segments;
};

std::uint64_t coded_bytes_in(const Segment& segment) { return segment.plain ? 0 : segment.target_length; }

std::uint64_t coded_bytes_in(std::span<const GroupOutline> outlines) {
  std::uint64_t bytes = 0;
  for (const GroupOutline& outline : outlines) {
    for (const Segment& segment : outline) bytes += coded_bytes_in(segment);
  }
  return bytes;
}

// Cuts the groups where windows begin and pieces have piece_bytes of coded segments, a multiple of window_bytes.
class GroupCutter {
 public:
  GroupCutter(std::uint64_t window_bytes, std::uint64_t piece_bytes) : window_bytes_(window_bytes), piece_bytes_(piece_bytes) {}

  void add(std::size_t group, const GroupOutline& outline) {
    begin_piece(group);
    for (const Segment& segment : outline) add_segment(group, segment);
  }

  [[nodiscard]] std::vector<GroupPiece> take() { return std::move(pieces_); }

 private:
  void begin_piece(std::size_t group) {
    pieces_.push_back({group, {}});
    filled_bytes_ = 0;
  }

  void add_segment(std::size_t group, Segment segment) {
    // What stands between two segments of a sample is told by the piece that has both.
    const GroupOutline& before = pieces_.back().segments;
    const bool follows = !before.empty() && before.back().target_pos + before.back().target_length == segment.target_pos;
    if (follows && filled_bytes_ >= piece_bytes_) begin_piece(group);
    // A last window that is not whole stays with the one before.
    while (coded_bytes_in(segment) >= room() + window_bytes_) {
      Segment head = segment;
      head.target_length = room();
      segment.target_pos += head.target_length;
      segment.target_length -= head.target_length;
      pieces_.back().segments.push_back(head);
      begin_piece(group);
    }
    filled_bytes_ += coded_bytes_in(segment);
    pieces_.back().segments.push_back(segment);
  }

  // Of a segment that begins now, in whole windows.
  [[nodiscard]] std::uint64_t room() const {
    const std::uint64_t bytes = piece_bytes_ - std::min(filled_bytes_, piece_bytes_);
    return std::max<std::uint64_t>(1, (bytes + window_bytes_ - 1) / window_bytes_) * window_bytes_;
  }

  const std::uint64_t window_bytes_;
  const std::uint64_t piece_bytes_;
  std::vector<GroupPiece> pieces_;
  std::uint64_t filled_bytes_ = 0;
};

std::vector<GroupPiece> cut_groups(std::span<const GroupOutline> outlines, std::uint64_t window_bytes, bool cuts) {
  const std::uint64_t task_bytes = even_task_bytes(coded_bytes_in(outlines), kMostPieceBytes);
  const std::uint64_t piece_bytes = (task_bytes + window_bytes - 1) / window_bytes * window_bytes;
  GroupCutter cutter(window_bytes, piece_bytes);
  std::vector<GroupPiece> whole;
  for (std::size_t group = 0; group < outlines.size(); ++group) {
    if (cuts) {
      cutter.add(group, outlines[group]);
    } else {
      whole.push_back({group, outlines[group]});
    }
  }
  return cuts ? cutter.take() : std::move(whole);
}

// Those of one group, not empty.
GroupDraft joined_pieces(std::span<GroupDraft> pieces, std::size_t segment_count) {
  GroupDraft group = std::move(pieces.front());
  for (std::size_t s = 0; s < kStreamCount && pieces.size() > 1; ++s) {
    std::size_t bytes = group.streams[s].size();
    for (const GroupDraft& piece : pieces.subspan(1)) bytes += piece.streams[s].size();
    group.streams[s].reserve(bytes);
  }
  for (GroupDraft& piece : pieces.subspan(1)) join_drafts(group, std::move(piece));
  group.segment_count = segment_count;
  if (group.target.empty()) group.cover_count = group.covered_bytes = 0;
  return group;
}

}  // namespace

std::vector<GroupDraft> encode_in_pieces(std::span<const GroupOutline> outlines, std::uint64_t window_bytes, bool cuts,
                                         const EncodeSegments& encode, WorkerPool& pool) {
  const std::vector<GroupPiece> pieces = cut_groups(outlines, window_bytes, cuts);
  std::vector<GroupDraft> encoded(pieces.size());
  pool.for_each(pieces.size(), [&](std::size_t i) { encoded[i] = encode(pieces[i].group, pieces[i].segments); });
  std::vector<GroupDraft> groups;
  for (std::size_t first = 0; first < pieces.size();) {
    const std::size_t group = pieces[first].group;
    std::size_t end = first + 1;
    while (end < pieces.size() && pieces[end].group == group) ++end;
    groups.push_back(joined_pieces(std::span(encoded).subspan(first, end - first), outlines[group].size()));
    first = end;
  }
  return groups;
}

}  // namespace bdelta
