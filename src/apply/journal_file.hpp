// Journals as files.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "apply/journal.hpp"
#include "io/output_place.hpp"
#include "io/random_file.hpp"
#include "io/unfinished_outputs.hpp"

namespace bdelta {

// Where the journal of a file stands unless the caller names another place: beside it, under a name made of its own.
[[nodiscard]] std::filesystem::path journal_beside(const io::OutputPlace& file);

// A journal that is written. One thread at a time.
class JournalFile final : public JournalOutput {
 public:
  // A new file, which its owner alone may read. It goes with the object, or by remove_unfinished_outputs, until it is kept.
  // kOutputExists where something has its name, and the errors of opening. syncs: as FileOptions::sync.
  static Result<std::unique_ptr<JournalFile>> create(const io::OutputPlace& place, bool syncs);

  // One that is there, which is kept.
  static Result<std::unique_ptr<JournalFile>> open(const io::OutputPlace& place, bool syncs);

  ~JournalFile() override;

  Status write_at(std::uint64_t pos, ByteSpan bytes) override;
  Status sync() override;

  // It stays, whatever becomes of the program.
  void keep() noexcept;

  // Takes the name away, durably.
  Status remove();

  [[nodiscard]] const std::filesystem::path& name() const noexcept { return place_.name; }

 private:
  JournalFile(const io::OutputPlace& place, bool syncs) : place_(place), syncs_(syncs) {}

  const io::OutputPlace place_;
  const bool syncs_;
  io::FileHandle file_;
  io::UnfinishedName unfinished_;
  bool kept_ = false;
  bool named_durably_ = false;
};

// A journal that stands there, and what its marks say.
struct FoundJournal {
  std::unique_ptr<io::RandomFile> reader;
  JournalState state;
};

// Nothing where there is none. Only whoever owns what the journal belongs to, or runs this program, may have made it:
// kWrongJournal for one of somebody else, for a link, and as read_journal_state has it.
Result<std::optional<FoundJournal>> find_journal(const io::OutputPlace& place, JournalKind kind, std::uint32_t owner);

// Whether a file may be read: kUnfinished where a journal beside it says that it is partly updated. Nothing is opened
// unless there is a journal.
Status check_finished(const std::filesystem::path& file);

}  // namespace bdelta
