// Journals in memory: what is read back of them when they are whole, cut short, or damaged.
#include "apply/journal.hpp"

#include "hash/xxh3.hpp"
#include "io/memory_io.hpp"
#include "support/io_support.hpp"

namespace bdelta::test::journal_test {
namespace {

// Bytes, and how many of them were there when each sync came.
class MemoryJournal final : public JournalOutput {
 public:
  Status write_at(std::uint64_t pos, ByteSpan bytes) override {
    const auto begin = static_cast<std::size_t>(pos);
    if (bytes_.size() < begin + bytes.size()) bytes_.resize(begin + bytes.size());
    std::copy(bytes.begin(), bytes.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(begin));
    return {};
  }
  Status sync() override {
    synced_.push_back(bytes_.size());
    return {};
  }

  Bytes bytes_;
  std::vector<std::size_t> synced_;
};

struct Entry {
  std::uint8_t tag;
  Bytes body;
  bool operator==(const Entry&) const = default;
};

struct Found {
  std::vector<Entry> entries;
  bool torn = false;
  std::uint64_t end_pos = 0;
};

Result<Found> read_all(ByteSpan bytes, JournalKind kind = JournalKind::kBlocks) {
  io::MemoryReader memory(bytes);
  auto reader = JournalReader::open(memory, kind);
  if (!reader) return std::move(reader).error();
  Found found;
  for (;;) {
    auto entry = reader->next();
    if (!entry) return std::move(entry).error();
    found.end_pos = reader->position();
    found.torn = reader->is_torn();
    if (!*entry) return found;
    found.entries.push_back({(*entry)->tag, Bytes((*entry)->body.begin(), (*entry)->body.end())});
  }
}

const std::vector<Entry> kEntries = {{1, Bytes{1, 2, 3}}, {239, {}}, {7, Bytes(200, 9)}, {7, Bytes(200, 9)}};

constexpr std::uint8_t tag_of(JournalMark mark) { return static_cast<std::uint8_t>(mark); }

// All of kEntries, then the marks. Where each entry ends goes to `ends`.
Bytes journal(const std::vector<JournalMark>& marks, std::vector<std::size_t>* ends = nullptr) {
  MemoryJournal memory;
  JournalWriter writer(memory);
  EXPECT_OK(writer.begin(JournalKind::kBlocks));
  const auto note = [&] {
    if (ends) ends->push_back(memory.bytes_.size());
  };
  note();
  for (const Entry& entry : kEntries) {
    EXPECT_OK(writer.add(entry.tag, entry.body));
    note();
  }
  for (const JournalMark mark : marks) {
    EXPECT_OK(writer.mark(mark));
    note();
  }
  return memory.bytes_;
}

std::vector<Entry> with_marks(const std::vector<JournalMark>& marks) {
  std::vector<Entry> all = kEntries;
  for (const JournalMark mark : marks) all.push_back({tag_of(mark), {}});
  return all;
}

TEST(Journal, ReadsWhatWasWritten) {
  const std::vector<JournalMark> marks = {JournalMark::kCommit, JournalMark::kTakeBack, JournalMark::kEnd};
  const Bytes bytes = journal(marks);
  const auto found = read_all(bytes);
  ASSERT_OK(found);
  EXPECT_EQ(with_marks(marks), found->entries);
  EXPECT_FALSE(found->torn);
  EXPECT_EQ(bytes.size(), found->end_pos);
}

// What other versions of the program have to read.
TEST(Journal, HasItsLayout) {
  MemoryJournal memory;
  JournalWriter writer(memory);
  ASSERT_OK(writer.begin(JournalKind::kTree));
  ASSERT_OK(writer.add(5, text("ab")));
  ASSERT_OK(writer.mark(JournalMark::kCommit));
  const auto check = [](Bytes bytes) {
    Bytes four;
    append_le(four, xxh3_32(bytes));
    return four;
  };
  Bytes expected = {'B', 'D', 'J', '1', 1, 2};
  append(expected, check(expected));
  append(expected, Bytes{5, 2, 'a', 'b'});
  append(expected, check({10, 0, 0, 0, 0, 0, 0, 0, 5, 2, 'a', 'b'}));
  append(expected, Bytes{240, 0});
  append(expected, check({18, 0, 0, 0, 0, 0, 0, 0, 240, 0}));
  EXPECT_EQ(expected, memory.bytes_);
  EXPECT_EQ(memory.bytes_.size(), writer.position());
  EXPECT_EQ(journal_entry_bytes(2), 8u);
  EXPECT_EQ(journal_entry_bytes(0), kJournalMarkBytes);
}

TEST(Journal, SyncsTheHeadThenEntriesThenTheMark) {
  MemoryJournal memory;
  JournalWriter writer(memory);
  ASSERT_OK(writer.begin(JournalKind::kBlocks));
  ASSERT_OK(writer.add(1, text("one")));
  ASSERT_OK(writer.add(1, text("two")));
  ASSERT_OK(writer.mark(JournalMark::kCommit));
  const std::size_t entries_end = kJournalHeadBytes + 2 * journal_entry_bytes(3);
  EXPECT_EQ((std::vector<std::size_t>{kJournalHeadBytes, entries_end, entries_end + kJournalMarkBytes}), memory.synced_);
}

TEST(Journal, GoesOnWhereItEnded) {
  MemoryJournal memory;
  memory.bytes_ = journal({JournalMark::kCommit});
  const std::uint64_t end = memory.bytes_.size();
  append(memory.bytes_, Bytes{241, 0, 1});  // a mark that was torn
  io::MemoryReader torn(memory.bytes_);
  const auto state = read_journal_state(torn, JournalKind::kBlocks);
  ASSERT_OK(state);
  EXPECT_TRUE(state->is_unfinished());
  EXPECT_EQ(end, state->end_pos);
  JournalWriter writer(memory, state->end_pos);
  ASSERT_OK(writer.mark(JournalMark::kEnd));
  io::MemoryReader whole(memory.bytes_);
  const auto ended = read_journal_state(whole, JournalKind::kBlocks);
  ASSERT_OK(ended);
  EXPECT_TRUE(ended->committed && ended->ended && !ended->takes_back);
  EXPECT_FALSE(ended->is_unfinished());
}

TEST(Journal, OfEachLengthTellsItsWholeEntries) {
  const std::vector<JournalMark> marks = {JournalMark::kCommit, JournalMark::kTakeBack};
  std::vector<std::size_t> ends;
  const Bytes bytes = journal(marks, &ends);
  const std::vector<Entry> all = with_marks(marks);
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    SCOPED_TRACE(length);
    const auto found = read_all(ByteSpan(bytes).first(length));
    ASSERT_OK(found);
    const auto end = std::upper_bound(ends.begin(), ends.end(), length);
    const auto whole = end - ends.begin();  // the head counts as one
    EXPECT_EQ(std::vector<Entry>(all.begin(), all.begin() + std::max<std::ptrdiff_t>(0, whole - 1)), found->entries);
    EXPECT_EQ(whole == 0 ? 0 : ends[static_cast<std::size_t>(whole) - 1], found->end_pos);
    EXPECT_EQ(whole == 0 || found->end_pos < length, found->torn);
  }
}

// The place of a head or of a tail that was never written reads as zeros.
TEST(Journal, OfZerosFromEachByteOnTellsItsWholeEntries) {
  std::vector<std::size_t> ends;
  const Bytes bytes = journal({JournalMark::kCommit}, &ends);
  for (std::size_t zeros_pos = kJournalHeadBytes; zeros_pos < bytes.size(); ++zeros_pos) {
    SCOPED_TRACE(zeros_pos);
    Bytes cut = bytes;
    std::fill(cut.begin() + static_cast<std::ptrdiff_t>(zeros_pos), cut.end(), std::uint8_t{0});
    const auto found = read_all(cut);
    ASSERT_OK(found);
    EXPECT_TRUE(found->torn);
    EXPECT_LE(found->end_pos, zeros_pos);
  }
  for (std::size_t size = 0; size <= kJournalHeadBytes; ++size) {
    const auto found = read_all(Bytes(size));
    ASSERT_OK(found);
    EXPECT_TRUE(found->torn && found->entries.empty());
  }
}

TEST(Journal, OfWhichAByteIsFlippedInATail) {
  std::vector<std::size_t> ends;
  const Bytes bytes = journal({}, &ends);
  for (std::size_t at = kJournalHeadBytes; at < bytes.size(); ++at) {
    for (const int bit : {1, 0x80}) {
      SCOPED_TRACE(at);
      Bytes bent = bytes;
      bent[at] ^= static_cast<std::uint8_t>(bit);
      const auto found = read_all(bent);
      ASSERT_OK(found);
      EXPECT_TRUE(found->torn);
      EXPECT_EQ(*(std::upper_bound(ends.begin(), ends.end(), at) - 1), found->end_pos);
    }
  }
}

// No crash leaves that behind, as all was synced before the mark: it must not count as absent.
TEST(Journal, OfWhichAByteIsFlippedInFrontOfAMarkIsRefused) {
  std::vector<std::size_t> ends;
  const Bytes bytes = journal({JournalMark::kCommit, JournalMark::kEnd}, &ends);
  const std::size_t last_mark = ends[ends.size() - 2];
  for (std::size_t at = kJournalHeadBytes; at < bytes.size(); ++at) {
    SCOPED_TRACE(at);
    Bytes bent = bytes;
    bent[at] ^= 4;
    const auto found = read_all(bent);
    if (at < last_mark) {
      EXPECT_FAILS(ErrorCode::kWrongJournal, found);
      EXPECT_EQ(*(std::upper_bound(ends.begin(), ends.end(), at) - 1), found.error().offset);
    } else {
      ASSERT_OK(found);
      EXPECT_TRUE(found->torn);
      EXPECT_EQ(with_marks({JournalMark::kCommit}), found->entries);
    }
  }
}

TEST(Journal, OfWhichTheHeadIsFlippedIsRefused) {
  const Bytes bytes = journal({});
  for (std::size_t at = 0; at < kJournalHeadBytes; ++at) {
    Bytes bent = bytes;
    bent[at] ^= 1;
    EXPECT_FAILS(ErrorCode::kWrongJournal, read_all(bent));
  }
}

TEST(Journal, DoesNotTakeOtherFilesForOne) {
  EXPECT_FAILS(ErrorCode::kWrongJournal, read_all(text("a text")));
  EXPECT_FAILS(ErrorCode::kWrongJournal, read_all(Bytes(kJournalHeadBytes + 1)));
  EXPECT_FAILS(ErrorCode::kWrongJournal, read_all(pattern(5000)));
  EXPECT_FAILS(ErrorCode::kWrongJournal, read_all(journal({}), JournalKind::kTree));
}

TEST(Journal, OfAnotherVersionIsRefusedByName) {
  Bytes bytes = journal({JournalMark::kCommit});
  bytes[4] = 2;
  store_le(bytes.data() + 6, xxh3_32(ByteSpan(bytes).first(6)));
  const auto found = read_all(bytes);
  EXPECT_FAILS(ErrorCode::kWrongJournal, found);
  EXPECT_EQ("expected version 1, found 2", found.error().detail);
}

// Nor are they where they were not written.
TEST(Journal, EntriesDoNotTakeEachOthersPlaces) {
  std::vector<std::size_t> ends;
  Bytes bytes = journal({}, &ends);
  ASSERT_EQ(ends[4] - ends[3], ends[3] - ends[2]);  // the last two are the same
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(ends[2]);
  std::swap_ranges(begin, begin + static_cast<std::ptrdiff_t>(ends[3] - ends[2]), begin + static_cast<std::ptrdiff_t>(ends[3] - ends[2]));
  const auto found = read_all(bytes);
  ASSERT_OK(found);
  EXPECT_EQ(ends[2], found->end_pos);
}

TEST(Journal, HoldsBoundedEntries) {
  MemoryJournal memory;
  JournalWriter writer(memory);
  ASSERT_OK(writer.begin(JournalKind::kBlocks));
  const Bytes most(static_cast<std::size_t>(kMostJournalBodyBytes));
  ASSERT_OK(writer.add(1, most));
  const auto found = read_all(memory.bytes_);
  ASSERT_OK(found);
  EXPECT_EQ(1u, found->entries.size());
  EXPECT_FAILS(ErrorCode::kInternal, writer.add(1, Bytes(most.size() + 1)));
  EXPECT_FAILS(ErrorCode::kInternal, writer.add(0, {}));
  EXPECT_FAILS(ErrorCode::kInternal, writer.add(tag_of(JournalMark::kCommit), {}));

  Bytes endless = Bytes(memory.bytes_.begin(), memory.bytes_.begin() + kJournalHeadBytes);
  append(endless, Bytes{1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1});
  const auto torn = read_all(endless);
  ASSERT_OK(torn);
  EXPECT_TRUE(torn->torn && torn->entries.empty());
}

}  // namespace
}  // namespace bdelta::test::journal_test
