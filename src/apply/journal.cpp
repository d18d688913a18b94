#include "apply/journal.hpp"

#include <algorithm>
#include <string>

#include "base/byte_cursor.hpp"
#include "base/try.hpp"
#include "hash/xxh3.hpp"

namespace bdelta {
namespace {

constexpr std::uint8_t kMagic[] = {'B', 'D', 'J', '1'};
constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kPositionBytes = 8;  // in front of an entry, for its checksum
constexpr std::size_t kJournalCheckBytes = 4;
constexpr std::size_t kMostHeadBytes = 1 + kMaxVarintBytes;  // of an entry

Error wrong_journal(std::string detail, std::string remedy) {
  return {.code = ErrorCode::kWrongJournal, .detail = std::move(detail), .remedy = std::move(remedy)};
}

Bytes encode_head(std::uint8_t version, std::uint8_t kind) {
  Bytes head(std::begin(kMagic), std::end(kMagic));
  head.push_back(version);
  head.push_back(kind);
  append_le(head, xxh3_32(head));
  return head;
}

// Position, tag, length, body: what the checksum is of.
Bytes checked_part(std::uint64_t pos, std::uint8_t tag, ByteSpan body) {
  Bytes part;
  append_le(part, pos);
  part.push_back(tag);
  append_varint(part, body.size());
  append(part, body);
  return part;
}

// What a crash leaves of a head whose sync had not returned.
bool is_part_of_a_head(ByteSpan found, ByteSpan head) {
  const bool is_zero = std::all_of(found.begin(), found.end(), [](std::uint8_t byte) { return byte == 0; });
  return found.size() <= head.size() && (is_zero || std::equal(found.begin(), found.end(), head.begin()));
}

bool is_mark(std::uint8_t tag) noexcept {
  return tag >= static_cast<std::uint8_t>(JournalMark::kCommit) && tag <= static_cast<std::uint8_t>(JournalMark::kTakeBack);
}

}  // namespace

std::uint64_t journal_entry_bytes(std::uint64_t body_bytes) noexcept {
  return 1 + varint_bytes(body_bytes) + body_bytes + kJournalCheckBytes;
}

Status JournalWriter::begin(JournalKind kind) {
  const Bytes head = encode_head(kVersion, static_cast<std::uint8_t>(kind));
  BDELTA_TRY(to_.write_at(0, head));
  pos_ = head.size();
  return to_.sync();
}

Status JournalWriter::add(std::uint8_t tag, ByteSpan body) {
  if (tag == 0 || tag >= static_cast<std::uint8_t>(JournalMark::kCommit) || body.size() > kMostJournalBodyBytes) {
    return Error{ErrorCode::kInternal, "an entry that no journal can hold"};
  }
  return put(tag, body);
}

Status JournalWriter::mark(JournalMark mark) {
  BDELTA_TRY(to_.sync());
  BDELTA_TRY(put(static_cast<std::uint8_t>(mark), {}));
  return to_.sync();
}

Status JournalWriter::put(std::uint8_t tag, ByteSpan body) {
  entry_ = checked_part(pos_, tag, body);
  append_le(entry_, xxh3_32(entry_));
  const ByteSpan bytes = ByteSpan(entry_).subspan(kPositionBytes);
  BDELTA_TRY(to_.write_at(pos_, bytes));
  pos_ += bytes.size();
  return {};
}

Result<JournalReader> JournalReader::open(RandomReader& from, JournalKind kind) {
  JournalReader reader(from);
  const Bytes expected = encode_head(kVersion, static_cast<std::uint8_t>(kind));
  Bytes head(static_cast<std::size_t>(std::min<std::uint64_t>(from.size(), kJournalHeadBytes)));
  BDELTA_TRY(from.read_at(0, head));
  if (head != expected && from.size() <= kJournalHeadBytes && is_part_of_a_head(head, expected)) return reader;
  const bool is_journal = head.size() == kJournalHeadBytes && head == encode_head(head[4], head[5]);
  if (!is_journal) {
    return wrong_journal("it does not begin as a journal does", "it is left as it is; choose another place for the journal");
  }
  if (head[4] != kVersion) {
    return wrong_journal("expected version " + std::to_string(kVersion) + ", found " + std::to_string(head[4]),
                         "complete it with the version of this program that wrote it");
  }
  if (head != expected) {
    return wrong_journal(kind == JournalKind::kTree ? "expected one of a directory, found one of a file"
                                                    : "expected one of a file, found one of a directory", {});
  }
  reader.pos_ = head.size();
  return reader;
}

// False where what stands here is not whole.
Result<bool> JournalReader::read_entry() {
  const std::uint64_t left = from_->size() - pos_;
  entry_.clear();
  append_le(entry_, pos_);
  entry_.resize(kPositionBytes + static_cast<std::size_t>(std::min<std::uint64_t>(left, kMostHeadBytes)));
  const MutableByteSpan head = MutableByteSpan(entry_).subspan(kPositionBytes);
  BDELTA_TRY(from_->read_at(pos_, head));
  ByteCursor cursor(head);
  (void)cursor.u8();
  const std::uint64_t body_bytes = cursor.varint();
  if (!cursor.ok() || body_bytes > kMostJournalBodyBytes) return false;
  const std::size_t checked_bytes = head.size() - cursor.available() + static_cast<std::size_t>(body_bytes);
  if (left < checked_bytes + kJournalCheckBytes) return false;
  const std::size_t had = std::min(head.size(), checked_bytes + kJournalCheckBytes);
  entry_.resize(kPositionBytes + checked_bytes + kJournalCheckBytes);
  BDELTA_TRY(from_->read_at(pos_ + had, MutableByteSpan(entry_).subspan(kPositionBytes + had)));
  const ByteSpan checked = ByteSpan(entry_).first(kPositionBytes + checked_bytes);
  return xxh3_32(checked) == load_le<std::uint32_t>(checked.data() + checked.size());
}

// A mark that is not the next entry, though it is where the journal ends.
Result<bool> JournalReader::has_mark_at_end() {
  const std::uint64_t size = from_->size();
  if (size < pos_ + kJournalMarkBytes + 1) return false;
  Bytes mark(kJournalMarkBytes);
  BDELTA_TRY(from_->read_at(size - kJournalMarkBytes, mark));
  Bytes expected = checked_part(size - kJournalMarkBytes, mark[0], {});
  append_le(expected, xxh3_32(expected));
  return is_mark(mark[0]) && std::equal(mark.begin(), mark.end(), expected.begin() + kPositionBytes);
}

Result<std::optional<JournalEntry>> JournalReader::next() {
  if (!is_torn()) return std::optional<JournalEntry>();
  if (pos_ < kJournalHeadBytes) return std::optional<JournalEntry>();
  BDELTA_ASSIGN(const bool is_whole, read_entry());
  if (!is_whole) {
    BDELTA_ASSIGN(const bool is_damaged, has_mark_at_end());
    if (!is_damaged) return std::optional<JournalEntry>();
    Error error = wrong_journal("an entry is damaged in front of a mark", "what it belongs to may be incomplete: fetch it anew");
    error.offset = pos_;
    return error;
  }
  const ByteSpan bytes = ByteSpan(entry_).subspan(kPositionBytes);
  ByteCursor cursor(bytes);
  const std::uint8_t tag = cursor.u8();
  const std::uint64_t body_bytes = cursor.varint();
  pos_ += bytes.size();
  return std::optional<JournalEntry>(JournalEntry{tag, cursor.bytes(body_bytes)});
}

Result<JournalState> read_journal_state(RandomReader& from, JournalKind kind) {
  BDELTA_ASSIGN(JournalReader reader, JournalReader::open(from, kind));
  JournalState state;
  for (;;) {
    BDELTA_ASSIGN(const std::optional<JournalEntry> entry, reader.next());
    state.end_pos = reader.position();
    if (!entry) return state;
    state.committed = state.committed || entry->is(JournalMark::kCommit);
    state.takes_back = state.takes_back || entry->is(JournalMark::kTakeBack);
    state.ended = state.ended || entry->is(JournalMark::kEnd);
  }
}

}  // namespace bdelta
