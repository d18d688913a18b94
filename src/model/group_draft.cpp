#include "model/group_draft.hpp"

#include <algorithm>

#include "base/byte_cursor.hpp"
#include "base/varint.hpp"
#include "hash/xxh3.hpp"

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
    Bytes& stream = draft.streams[kDiagonals];
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
  return sum;
}

std::uint64_t GroupDraft::target_bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const WindowRecord& window : windows) bytes += window.target_length;
  return bytes;
}

GroupDraft covers_of(const GroupDraft& contents) {
  GroupDraft draft;
  draft.kind = GroupKind::kCovers;
  draft.windows = contents.windows;
  draft.segment_count = contents.segment_count;
  draft.last_diagonal = contents.last_diagonal;
  for (std::size_t i = 0; i < kStreamCount; ++i) {
    const bool kept = (streams_of(GroupKind::kCovers) >> i & 1) != 0;
    if (kept) draft.streams[i] = contents.streams[i];
    for (WindowRecord& window : draft.windows) window.sizes[i] = kept ? window.sizes[i] : 0;
  }
  for (WindowRecord& window : draft.windows) window.run_count = 0;
  return draft;
}

std::vector<GroupDraft> covers_of(const std::vector<GroupDraft>& contents) {
  std::vector<GroupDraft> covers;
  covers.reserve(contents.size());
  for (const GroupDraft& group : contents) covers.push_back(covers_of(group));
  return covers;
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
