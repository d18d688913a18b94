// Journals: what is about to be done to files, written down first, so that whoever comes next can complete it or take it back.
//
// Layout, integers little-endian:
//
//   head    magic "BDJ1", version u8, kind u8, Check32 of these six bytes
//   entry   tag u8, length of the body as a varint, body, Check32; any number of them
//
// An entry's Check32 is XXH3-64's low half over its position in the journal (u64), tag, length and body, so that no entry can
// take the place of another. Three tags are marks, which have no body and are common to all kinds; the others belong to the kind.
//
// Order makes journals safe. The head is synced before anything else, so a file that begins otherwise is no journal. All
// entries are synced before a mark is written, and then the mark is. So what a crash leaves behind is a journal that ends
// somewhere in front of its first mark, or in the middle of a mark. Such a torn tail counts as absent. A mark that is whole
// behind an entry that is not shows damage, which is an error.
#pragma once

#include <optional>

#include "base/bytes.hpp"
#include "bdelta/io.hpp"

namespace bdelta {

enum class JournalKind : std::uint8_t {
  kBlocks = 1,  // of a file or device that is written in place
  kTree = 2,    // of a directory
};

// The marks. Tags of entries are 1 to 239.
enum class JournalMark : std::uint8_t {
  kCommit = 240,    // what the entries say is to be done
  kEnd = 241,       // nothing is left to do
  kTakeBack = 242,  // what was done is to be undone
};

inline constexpr std::uint64_t kJournalHeadBytes = 10;
inline constexpr std::uint64_t kJournalMarkBytes = 6;
inline constexpr std::uint64_t kMostJournalBodyBytes = std::uint64_t{1} << 20;

// Where a journal goes.
class JournalOutput {
 public:
  virtual ~JournalOutput() = default;

  // Takes all bytes or fails.
  virtual Status write_at(std::uint64_t pos, ByteSpan bytes) = 0;

  // Makes durable what was written, with the name of the journal.
  virtual Status sync() = 0;
};

// One thread at a time. After an error nothing more may be written.
class JournalWriter {
 public:
  // Writes to `to`, which outlives the object, at `pos` and behind: 0 for a new journal, else where a reader found the end.
  explicit JournalWriter(JournalOutput& to, std::uint64_t pos = 0) noexcept : to_(to), pos_(pos) {}

  // The head, synced. First of all for a new journal.
  Status begin(JournalKind kind);

  // An entry with one of the kind's tags and at most kMostJournalBodyBytes. Durable with the next mark.
  Status add(std::uint8_t tag, ByteSpan body);

  // Syncs what stands in front, writes the mark, and syncs again.
  Status mark(JournalMark mark);

  // Where the next entry goes.
  [[nodiscard]] std::uint64_t position() const noexcept { return pos_; }

 private:
  Status put(std::uint8_t tag, ByteSpan body);

  JournalOutput& to_;
  std::uint64_t pos_;
  Bytes entry_;
};

// Bytes that an entry takes.
[[nodiscard]] std::uint64_t journal_entry_bytes(std::uint64_t body_bytes) noexcept;

struct JournalEntry {
  std::uint8_t tag = 0;
  ByteSpan body;

  [[nodiscard]] bool is(JournalMark mark) const noexcept { return tag == static_cast<std::uint8_t>(mark); }
};

// One thread at a time. Holds one entry.
class JournalReader {
 public:
  // `from` outlives the reader. One without a whole head has no entries and is torn. Errors: kWrongJournal for what is no
  // journal, or one of another kind or version; those of reading.
  static Result<JournalReader> open(RandomReader& from, JournalKind kind);

  // The next entry, whose body lives until the next call; nothing behind the last whole one. Errors: kWrongJournal if one
  // is damaged in front of a mark; those of reading.
  Result<std::optional<JournalEntry>> next();

  // Once `next` has given nothing: something stands behind the last whole entry, or the head is not whole.
  [[nodiscard]] bool is_torn() const noexcept { return pos_ < from_->size() || pos_ < kJournalHeadBytes; }

  // Where the entries that were given end.
  [[nodiscard]] std::uint64_t position() const noexcept { return pos_; }

 private:
  explicit JournalReader(RandomReader& from) noexcept : from_(&from) {}
  Result<bool> read_entry();
  Result<bool> has_mark_at_end();

  RandomReader* from_;
  std::uint64_t pos_ = 0;
  Bytes entry_;  // behind its position
};

// What the marks of a journal say.
struct JournalState {
  bool committed = false;
  bool takes_back = false;
  bool ended = false;
  std::uint64_t end_pos = 0;  // behind the last whole entry

  // Whoever comes next has something to do.
  [[nodiscard]] bool is_unfinished() const noexcept { return committed && !ended; }
};

// Reads a whole journal for its marks. Errors as JournalReader has them.
Result<JournalState> read_journal_state(RandomReader& from, JournalKind kind);

}  // namespace bdelta
