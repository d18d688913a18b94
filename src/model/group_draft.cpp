#include "model/group_draft.hpp"

#include <algorithm>
#include <utility>

#include "base/byte_cursor.hpp"
#include "base/varint.hpp"
#include "delta/cover.hpp"
#include "hash/xxh3.hpp"
#include "model/draft_walk.hpp"

namespace bdelta {
namespace {

// Drafts begin at diagonal 0: the first change of it, plain or coded, becomes one from `diagonal`. False if there is none.
bool rebase_diagonal(GroupDraft& draft, std::int64_t diagonal) {
  for (WindowRecord& window : draft.windows) {
    if (window.plain) {
      window.diagonal_change -= diagonal;
      return true;
    }
    if (window.copy_count == 0) continue;
    Bytes& stream = window.predicted ? draft.apart[kDiagonals] : draft.streams[kDiagonals];
    ByteCursor cursor(stream);
    Bytes first;
    append_varint(first, zigzag(cursor.svarint() - diagonal));
    const auto old_size = static_cast<std::ptrdiff_t>(stream.size() - cursor.available());
    stream.erase(stream.begin(), stream.begin() + old_size);
    stream.insert(stream.begin(), first.begin(), first.end());
    window.sizes[kDiagonals] += first.size() - static_cast<std::uint64_t>(old_size);
    return true;
  }
  return false;
}

}  // namespace

std::uint64_t GroupDraft::stream_bytes() const noexcept {
  std::uint64_t sum = 0;
  for (const Bytes& stream : streams) sum += stream.size();
  for (const Bytes& stream : apart) sum += stream.size();
  return sum;
}

std::uint64_t GroupDraft::target_bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const WindowRecord& window : windows) bytes += window.target_length;
  return bytes;
}

ModelledBytes modelled_bytes_of(const GroupDraft& draft) noexcept {
  ModelledBytes bytes;
  for (const WindowRecord& window : draft.windows) {
    if (!window.modelled) continue;
    bytes.literals += window.sizes[kLiterals];
    bytes.misses += window.sizes[kResidualValues];
    bytes.copied += window.target_length - window.sizes[kLiterals];
  }
  return bytes;
}

GroupDraft without_modelled(const GroupDraft& draft, unsigned streams) {
  GroupDraft rest;
  rest.windows = draft.windows;
  rest.apart = draft.apart;
  for (std::size_t s = 0; s < kOpStreamCount; ++s) rest.streams[s] = draft.streams[s];
  for (std::size_t s = kOpStreamCount; s < kStreamCount; ++s) {
    ByteCursor cursor(draft.streams[s]);
    for (WindowRecord& window : rest.windows) {
      const ByteSpan bytes = cursor.bytes(window.sizes[s]);
      if (window.modelled || (streams >> s & 1) == 0) {
        window.sizes[s] = 0;
      } else {
        append(rest.streams[s], bytes);
      }
    }
  }
  for (WindowRecord& window : rest.windows) window.run_count = window.sizes[kResidualGaps] > 0 ? window.run_count : 0;
  return rest;
}

namespace {

// Covers that come in target order, as windows that end where a reader holds no more copies, and so are of any length.
class CoversEncoder {
 public:
  void begin(std::uint64_t target_pos) noexcept { begin_ = pos_ = target_pos; }
  [[nodiscard]] bool has_covers() const noexcept { return !draft_.windows.empty() || record_.copy_count > 0; }

  void add(const Cover& cover) {
    if (record_.copy_count == kMaxWindowCopies) close(cover.target_pos);
    put(kLiteralLengths, cover.target_pos - pos_);
    put(kCopyLengths, cover.length);
    put(kDiagonals, zigzag(cover.diagonal() - draft_.last_diagonal));
    draft_.last_diagonal = cover.diagonal();
    ++record_.copy_count;
    pos_ = cover.target_end();
  }

  GroupDraft take(std::uint64_t end) {
    close(end);
    draft_.kind = GroupKind::kCovers;
    return std::exchange(draft_, {});
  }

 private:
  void put(StreamId id, std::uint64_t number) {
    Bytes& stream = draft_.streams[id];
    const std::size_t before = stream.size();
    append_varint(stream, number);
    record_.sizes[id] += stream.size() - before;
  }

  void close(std::uint64_t end) {
    record_.target_length = end - begin_;
    record_.covers = true;
    draft_.windows.push_back(std::exchange(record_, {}));
    begin_ = pos_ = end;
  }

  GroupDraft draft_;
  WindowRecord record_;
  std::uint64_t begin_ = 0;  // of the window
  std::uint64_t pos_ = 0;
};

// Those of the windows that are predicted, which meet on one diagonal where a window cut them.
void add_covers(const GroupDraft& group, CoversEncoder& encoder) {
  DraftWalk walk(group);
  Cover cover;
  for (const WindowRecord& window : group.windows) {
    walk.take(window);
    std::uint64_t pos = walk.target_pos;
    for (const DeltaOp& op : walk.ops) {
      if (window.predicted && op.kind == OpKind::kCopy) {
        const bool goes_on = cover.target_end() == pos && cover.source_end() == op.source_pos && cover.length > 0;
        if (goes_on) {
          cover.length += op.length;
        } else {
          if (cover.length > 0) encoder.add(cover);
          cover = {op.source_pos, pos, op.length};
        }
      }
      pos += op.length;
    }
  }
  if (cover.length > 0) encoder.add(cover);
}

}  // namespace

std::vector<GroupDraft> covers_of(const std::vector<GroupDraft>& groups) {
  std::vector<GroupDraft> covers;
  if (groups.empty()) return covers;
  CoversEncoder encoder;
  encoder.begin(groups.front().target_pos);
  std::uint64_t end = 0;
  for (const GroupDraft& group : groups) {
    if (encoder.has_covers()) covers.push_back(encoder.take(group.target_pos));
    add_covers(group, encoder);
    end = group.target_pos + group.target_bytes();
  }
  covers.push_back(encoder.take(end));
  return covers;
}

GroupDraft group_of_covers(const Covers& covers) {
  CoversEncoder encoder;
  if (!covers.empty()) encoder.begin(covers.front().target_pos);
  for (const Cover& cover : covers) encoder.add(cover);
  return encoder.take(covers.empty() ? 0 : covers.back().target_end());
}

void join_drafts(GroupDraft& group, GroupDraft&& next) {
  const bool in_one_piece = !group.target.empty() && !next.target.empty() &&
                            group.target.data() + group.target.size() == next.target.data();
  group.target = in_one_piece ? ByteSpan(group.target.data(), group.target.size() + next.target.size()) : ByteSpan();
  group.cover_count += next.cover_count;
  group.covered_bytes += next.covered_bytes;
  group.copies_target |= next.copies_target;
  group.history_bytes = std::max(group.history_bytes, next.history_bytes);
  if (rebase_diagonal(next, group.last_diagonal)) group.last_diagonal = next.last_diagonal;
  auto first = next.windows.begin();
  const bool goes_on = !group.windows.empty() && group.windows.back().plain && first != next.windows.end() &&
                       first->plain && first->diagonal_change == 0;
  if (goes_on) group.windows.back().target_length += first++->target_length;
  group.windows.insert(group.windows.end(), first, next.windows.end());
  for (std::size_t i = 0; i < kStreamCount; ++i) {
    append(group.streams[i], next.streams[i]);
    Bytes().swap(next.streams[i]);
  }
  for (std::size_t i = 0; i < kOpStreamCount; ++i) {
    append(group.apart[i], next.apart[i]);
    Bytes().swap(next.apart[i]);
  }
  group.coded_bytes += next.coded_bytes;
  group.segment_count += next.segment_count;
}

std::vector<WindowRecord> literal_windows(ByteSpan target, std::uint64_t begin, std::uint64_t end,
                                          std::uint64_t window_bytes) {
  std::vector<WindowRecord> windows;
  while (begin < end) {
    const std::uint64_t length = std::min(window_bytes, end - begin);
    WindowRecord record;
    record.target_length = record.sizes[kLiterals] = length;
    record.checksum = xxh3_32(target.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(length)));
    windows.push_back(record);
    begin += length;
  }
  return windows;
}

}  // namespace bdelta
