#include "create/group_outline.hpp"

#include <algorithm>
#include <cstring>

#include "base/deciding/choosing.hpp"
#include "match/cover_ranges.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kSearchedPieceBytes = std::uint64_t{16} << 20;   // of a cover, searched by one task
constexpr std::uint64_t kProbeBytes = 4096;                      // compared at a time

// Part of a long cover.
struct Piece {
  Cover cover;
  std::vector<Segment> exact;  // maximal exact stretches in steps of kProbeBytes, then widened to the byte
};

// First and last differing byte decide how far an exact stretch reaches, so probes that differ are searched inside.
std::uint64_t equal_ahead(const std::uint8_t* s, const std::uint8_t* t, std::uint64_t limit) {
  std::uint64_t done = 0;
  while (limit - done >= kProbeBytes && std::memcmp(s + done, t + done, kProbeBytes) == 0) done += kProbeBytes;
  return done + count_equal(s + done, t + done, static_cast<std::size_t>(limit - done));
}

// Exact stretches of one piece: whole ones of plain_bytes, and any that touch the piece's ends, which may go on in the
// neighbouring piece.
void find_exact(const FilePieces& source, const FilePieces& target, std::uint64_t plain_bytes, Piece& piece) {
  const Cover& cover = piece.cover;
  const std::uint8_t* s = source.at(cover.source_pos);
  const std::uint8_t* t = target.at(cover.target_pos);
  for (std::uint64_t at = 0; at < cover.length;) {
    const std::uint64_t equal = equal_ahead(s + at, t + at, cover.length - at);
    const bool at_edge = at == 0 || at + equal == cover.length;
    if (equal >= plain_bytes || (at_edge && equal > 0)) {
      piece.exact.push_back({cover.target_pos + at, equal, true, cover.diagonal()});
    }
    at += equal;
    while (at < cover.length && s[at] != t[at]) ++at;
  }
}

std::vector<Segment> find_plain(const FilePieces& source, const FilePieces& target, const Covers& covers,
                                std::uint64_t plain_bytes, std::uint64_t target_from, WorkerPool& pool) {
  std::vector<Piece> pieces;
  for (const Cover& cover : covers) {
    if (cover.length < plain_bytes || cover.source_pos >= target_from) continue;
    for (std::uint64_t done = 0; done < cover.length; done += kSearchedPieceBytes) {
      const std::uint64_t length = std::min(kSearchedPieceBytes, cover.length - done);
      pieces.push_back({{cover.source_pos + done, cover.target_pos + done, length}, {}});
    }
  }
  pool.for_each(pieces.size(), [&](std::size_t i) {
    const Span span(pool.timeline(), PhaseId::kPlan, i, pieces[i].cover.length);
    find_exact(source, target, plain_bytes, pieces[i]);
  });

  std::vector<Segment> plain;
  for (const Piece& piece : pieces) {
    for (const Segment& exact : piece.exact) {
      const bool goes_on = !plain.empty() && plain.back().diagonal == exact.diagonal &&
                           plain.back().target_pos + plain.back().target_length == exact.target_pos;
      if (goes_on) {
        plain.back().target_length += exact.target_length;
      } else {
        plain.push_back(exact);
      }
    }
  }
  std::erase_if(plain, [&](const Segment& segment) { return segment.target_length < plain_bytes; });
  return plain;
}

class Outliner {
 public:
  explicit Outliner(std::uint64_t group_bytes) : group_bytes_(group_bytes) {}

  void plain(const Segment& segment) {
    group().push_back(segment);
  }

  void coded(Segment segment) {
    end_group_between_kinds(segment);
    std::uint64_t begin = segment.target_pos;
    const std::uint64_t end = begin + segment.target_length;
    while (begin < end) {
      GroupOutline& outline = group();
      const std::uint64_t length = std::min(end - begin, group_bytes_ - coded_bytes_);
      outline.push_back({begin, length, false, 0, segment.predicted});
      coded_bytes_ += length;
      begin += length;
    }
  }

  std::vector<GroupOutline> take() { return std::move(groups_); }

 private:
  // Programs and what lies between them have little in common. Where there is much of both, neither shares its coder's state.
  void end_group_between_kinds(const Segment& next) {
    if (next.predicted != predicted_) {
      if (kind_bytes_ >= kOwnGroupBytes && next.target_length >= kOwnGroupBytes) end_group();
      predicted_ = next.predicted;
      kind_bytes_ = 0;
    }
    kind_bytes_ += next.target_length;
  }

  void end_group() {
    groups_.emplace_back();
    coded_bytes_ = 0;
  }

  // The group that takes the next segment.
  GroupOutline& group() {
    if (groups_.empty() || coded_bytes_ >= group_bytes_ || groups_.back().size() >= kMaxGroupSegments) end_group();
    return groups_.back();
  }

  const std::uint64_t group_bytes_;
  std::vector<GroupOutline> groups_;
  std::uint64_t coded_bytes_ = 0;  // of the group at hand
  bool predicted_ = false;         // the segment before, …
  std::uint64_t kind_bytes_ = 0;   // … and the coded ones of its kind that lie behind one another
};

}  // namespace

std::uint64_t target_bytes(const GroupOutline& outline) noexcept {
  std::uint64_t bytes = 0;
  for (const Segment& segment : outline) bytes += segment.target_length;
  return bytes;
}

std::vector<GroupOutline> outline_groups(const FilePieces& source, const FilePieces& target, const ByteRange& range,
                                   const Covers& covers, std::uint64_t group_bytes, WorkerPool& pool,
                                   std::uint64_t plain_bytes, std::uint64_t target_from, const ByteRanges& predicted) {
  const Step step(pool, PhaseId::kPlan);
  Outliner outliner(group_bytes);
  std::uint64_t done = range.begin;
  const auto coded_to = [&](std::uint64_t end) {
    if (done == end) return;
    for (const Segment& segment : with_prediction({{done, end - done, false, 0}}, predicted)) outliner.coded(segment);
  };
  const Covers& own_covers = predicted.empty() ? covers : covers_in(outside_of(predicted, range.end), covers);
  for (const Segment& segment : find_plain(source, target, own_covers, plain_bytes, target_from, pool)) {
    coded_to(segment.target_pos);
    outliner.plain(segment);
    done = segment.target_pos + segment.target_length;
  }
  coded_to(range.end);
  return outliner.take();
}

GroupOutline with_prediction(const GroupOutline& segments, const ByteRanges& predicted) {
  GroupOutline cut;
  auto range = predicted.begin();
  for (const Segment& segment : segments) {
    std::uint64_t pos = segment.target_pos;
    for (const std::uint64_t end = pos + segment.target_length; pos < end;) {
      while (range != predicted.end() && range->end <= pos) ++range;
      const bool inside = range != predicted.end() && range->begin <= pos;
      const std::uint64_t border = range == predicted.end() ? end : inside ? range->end : range->begin;
      const std::uint64_t next = std::min(end, border);
      cut.push_back({pos, next - pos, false, 0, inside});
      pos = next;
    }
  }
  return cut;
}

}  // namespace bdelta
