// Journals of updates in place: bytes as they are, and entries and marks with checksums that fit. Searches for entries that are
// read as others than were written, and for blocks that lie outside of the file that they are for.
#include <optional>
#include <utility>
#include <vector>

#include "apply/block_journal.hpp"
#include "fuzz/fuzz_input.hpp"
#include "io/memory_io.hpp"
#include "support/guard_page.hpp"

namespace bdelta::fuzz {
namespace {

class MemoryJournal final : public JournalOutput {
 public:
  explicit MemoryJournal(Bytes& to) noexcept : to_(to) {}
  Status write_at(std::uint64_t, ByteSpan bytes) override {
    append(to_, bytes);
    return {};
  }
  Status sync() override { return {}; }

 private:
  Bytes& to_;
};

using Entries = std::vector<std::pair<std::uint8_t, Bytes>>;

Bytes written(Input& input, Entries& entries) {
  Bytes bytes;
  MemoryJournal to(bytes);
  JournalWriter writer(to);
  require(static_cast<bool>(writer.begin(JournalKind::kBlocks)), "a journal can be begun");
  while (!input.empty()) {
    const std::uint8_t tag = input.u8();
    const ByteSpan body = input.bytes(input.u16() % 5000);
    const bool is_mark = tag >= static_cast<std::uint8_t>(JournalMark::kCommit);
    if (is_mark && tag > static_cast<std::uint8_t>(JournalMark::kTakeBack)) continue;
    const Status put = is_mark ? writer.mark(static_cast<JournalMark>(tag)) : writer.add(tag, body);
    require(static_cast<bool>(put) == (tag != 0), "entries of the kind and marks can be written, and no others");
    if (put) entries.emplace_back(tag, is_mark ? Bytes() : Bytes(body.begin(), body.end()));
  }
  return bytes;
}

// What is read of a journal; nothing if it is refused.
std::optional<Entries> read(RandomReader& journal) {
  auto reader = JournalReader::open(journal, JournalKind::kBlocks);
  require(reader || reader.error().code == ErrorCode::kWrongJournal, "what is no journal is told as that");
  if (!reader) return std::nullopt;
  Entries entries;
  for (;;) {
    const auto entry = reader->next();
    require(entry || entry.error().code == ErrorCode::kWrongJournal, "damage is told as that");
    if (!entry) return std::nullopt;
    if (!*entry) return entries;
    require((*entry)->body.size() <= kMostJournalBodyBytes, "an entry has a bound");
    entries.emplace_back((*entry)->tag, Bytes((*entry)->body.begin(), (*entry)->body.end()));
  }
}

void try_journal(ByteSpan bytes) {
  const test::GuardedBytes guarded(bytes);
  io::MemoryReader journal(guarded.bytes());
  (void)read(journal);
  const auto state = read_journal_state(journal, JournalKind::kBlocks);
  require(!state || state->end_pos <= bytes.size(), "entries end inside of the journal");
  const auto owner = read_owner(journal);
  require(owner || owner.error().code == ErrorCode::kWrongJournal, "blocks in disorder are told as that");
}

}  // namespace

void run(Input& input) {
  if (input.u8() % 2 == 0) return try_journal(input.rest());
  Entries entries;
  const Bytes journal = written(input, entries);
  io::MemoryReader reader(journal);
  const auto found = read(reader);
  require(found && *found == entries, "what was written is read");
  try_journal(journal);
}

}  // namespace bdelta::fuzz
