#include "apply/journal_file.hpp"

#include <cerrno>

#include "base/guard.hpp"
#include "base/try.hpp"
#include "io/file_error.hpp"
#include "io/retry_interrupted.hpp"

namespace bdelta {
namespace {

constexpr std::uint32_t kJournalMode = 0600;

}  // namespace

std::filesystem::path journal_beside(const io::OutputPlace& file) {
  std::filesystem::path name = ".";
  name += file.path.filename();
  name += ".bdelta-journal";
  return file.directory / name;
}

Result<std::unique_ptr<JournalFile>> JournalFile::create(const io::OutputPlace& place, bool syncs) {
  std::unique_ptr<JournalFile> journal(new JournalFile(place, syncs));
  journal->unfinished_ = io::UnfinishedName(place.path);
  auto file = io::open_file(place.path, io::OpenKind::kCreateNew, kJournalMode, "for the journal");
  journal->unfinished_.opened();
  if (file) {
    journal->file_ = std::move(*file);
    Status locked = io::lock_file(journal->file_, place);
    if (locked) return journal;
    journal->keep();  // what has its name now is not ours
    return std::move(locked).error();
  }
  journal->keep();
  io::FileInfo found;
  if (io::file_ops().link_info(place.path.c_str(), found) == 0) {
    return io::file_error(ErrorCode::kOutputExists, place.name, "the journal would go there", "choose another place for the journal");
  }
  return std::move(file).error();
}

Result<std::unique_ptr<JournalFile>> JournalFile::open(const io::OutputPlace& place, bool syncs) {
  std::unique_ptr<JournalFile> journal(new JournalFile(place, syncs));
  journal->keep();
  BDELTA_ASSIGN(journal->file_, io::open_file(place.path, io::OpenKind::kUpdate, 0, "to complete what it says"));
  BDELTA_TRY(io::lock_file(journal->file_, place));
  return journal;
}

JournalFile::~JournalFile() {
  file_.reset();
  if (!kept_) (void)io::file_ops().remove(place_.path.c_str());
}

Status JournalFile::write_at(std::uint64_t pos, ByteSpan bytes) { return io::write_fully(file_, pos, bytes, place_.name, nullptr); }

Status JournalFile::sync() {
  if (!syncs_) return {};
  BDELTA_TRY(io::sync_file(file_.ops(), file_.fd(), place_.name));
  if (named_durably_) return {};
  BDELTA_TRY(io::sync_directory(place_));
  named_durably_ = true;
  return {};
}

void JournalFile::keep() noexcept {
  kept_ = true;
  unfinished_.forget();
}

Status JournalFile::remove() {
  file_.reset();
  keep();
  if (io::retry_interrupted([&] { return io::file_ops().remove(place_.path.c_str()); }) != 0 && errno != ENOENT) {
    return io::file_error(errno, ErrorCode::kWriteFailed, place_.name, "removing the journal");
  }
  return syncs_ ? io::sync_directory(place_) : Status();
}

Result<std::optional<FoundJournal>> find_journal(const io::OutputPlace& place, JournalKind kind, std::uint32_t owner) {
  if (!place.existing) return std::optional<FoundJournal>();
  BDELTA_ASSIGN(io::OpenedFile opened, io::open_regular(place.path));
  const std::uint32_t found_owner = opened.info.owner;
  if (place.is_link || (found_owner != owner && found_owner != io::file_ops().user())) {
    return io::file_error(ErrorCode::kWrongJournal, place.name,
                          place.is_link ? "it is a link" : "it was made by user " + std::to_string(found_owner),
                          "remove it if you know that nothing is to be completed");
  }
  FoundJournal found{std::make_unique<io::RandomFile>(std::move(opened), place.name, nullptr), {}};
  auto state = read_journal_state(*found.reader, kind);
  if (!state) return io::with_file(std::move(state).error(), place.name);
  found.state = *state;
  return std::optional<FoundJournal>(std::move(found));
}

Status check_finished(const std::filesystem::path& file) {
  return guarded([&]() -> Status {
    if (file.empty() || file == "-") return {};
    const auto place = io::find_output_place(file);
    if (!place || !place->existing || !place->existing->is_regular) return {};  // what is wrong with it, who opens it tells
    const auto journal = io::find_output_place(journal_beside(*place));
    if (!journal) return {};  // where a name is too long, none was made
    BDELTA_ASSIGN(const auto found, find_journal(*journal, JournalKind::kBlocks, place->existing->owner));
    if (!found || !found->state.is_unfinished()) return {};
    return io::file_error(ErrorCode::kUnfinished, file, "its journal " + io::shown(journal->path) + " says so",
                          "complete it with resume_in_place");
  });
}

}  // namespace bdelta
