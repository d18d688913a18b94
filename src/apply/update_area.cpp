#include "apply/update_area.hpp"

#include <cerrno>

#include "apply/watched_resume.hpp"
#include "base/guard.hpp"
#include "base/try.hpp"
#include "io/file_error.hpp"
#include "io/retry_interrupted.hpp"

namespace bdelta {

// The journal's bytes, from the file or to it.
class AreaJournal final : public RandomReader, public JournalOutput {
 public:
  AreaJournal(io::FileHandle file, std::filesystem::path name, std::uint64_t size)
      : file_(std::move(file)), name_(std::move(name)), size_(size) {}

  // What syncs it, with its name and with all that its entries are about; null: nothing does.
  void set_sync(TreeUpdate* update) noexcept { update_ = update; }

  [[nodiscard]] std::uint64_t size() const noexcept override { return size_; }
  Status read_at(std::uint64_t pos, MutableByteSpan out) override { return io::read_fully(file_, pos, out, name_, nullptr); }
  Status check_unchanged() override { return {}; }
  Status write_at(std::uint64_t pos, ByteSpan bytes) override { return io::write_fully(file_, pos, bytes, name_, nullptr); }
  Status sync() override { return update_ ? update_->sync() : Status(); }

  // Some file systems give a file that is removed while it is open another name, and its directory can't be removed then.
  void close() noexcept { file_.reset(); }

 private:
  io::FileHandle file_;
  const std::filesystem::path name_;
  const std::uint64_t size_;
  TreeUpdate* update_ = nullptr;
};

namespace {

constexpr const char* kJournalName = ".bdelta/journal";
constexpr std::uint32_t kAreaMode = 0700;
constexpr std::uint32_t kAreaJournalMode = 0600;

// While it lives, the directory is between OLD and NEW.
class UnfinishedNote {
 public:
  UnfinishedNote() noexcept { io::note_unfinished(true); }
  ~UnfinishedNote() { io::note_unfinished(false); }
  UnfinishedNote(const UnfinishedNote&) = delete;
  UnfinishedNote& operator=(const UnfinishedNote&) = delete;
};

struct FoundAreaJournal {
  std::unique_ptr<AreaJournal> file;  // null without one
  std::vector<TreeStep> steps;
  JournalState state;
};

// for_steps: whether more than the marks is wanted, to write to it as well.
Result<FoundAreaJournal> find_area_journal(io::Directory& directory, bool for_steps) {
  FoundAreaJournal found;
  BDELTA_ASSIGN(const auto area, directory.find(kUpdateArea));
  if (!area) return found;
  if (!area->is_directory) {
    return io::file_error(ErrorCode::kWrongJournal, directory.name_of(kUpdateArea), "it is no directory, and this name is kept for one",
                          "take it away");
  }
  BDELTA_ASSIGN(const auto info, directory.find(kJournalName));
  if (!info) return found;
  const std::filesystem::path name = directory.name_of(kJournalName);
  if (!info->is_regular) return io::file_error(ErrorCode::kWrongJournal, name, "it is no file", "take it away");
  const auto named = [&](auto&& result) { return io::with_file(std::move(result).error(), name); };
  BDELTA_ASSIGN(io::FileHandle file, directory.open_entry(kJournalName, for_steps ? io::OpenAtKind::kUpdate : io::OpenAtKind::kRead));
  found.file = std::make_unique<AreaJournal>(std::move(file), name, info->size);
  auto state = read_journal_state(*found.file, JournalKind::kTree);
  if (!state) return named(std::move(state));
  found.state = *state;
  if (!for_steps || !found.state.is_unfinished()) return found;
  auto reader = JournalReader::open(*found.file, JournalKind::kTree);
  if (!reader) return named(std::move(reader));
  for (;;) {
    auto entry = reader->next();
    if (!entry) return named(std::move(entry));
    if (!*entry || (*entry)->is(JournalMark::kCommit)) return found;
    auto step = decode_step((*entry)->tag, (*entry)->body);
    if (!step) return named(std::move(step));
    found.steps.push_back(std::move(*step));
  }
}

Result<TreeState> state_of(const std::filesystem::path& path) {
  BDELTA_ASSIGN(const auto directory, io::Directory::open(path));
  BDELTA_ASSIGN(const FoundAreaJournal found, find_area_journal(*directory, false));
  if (found.state.is_unfinished()) return found.state.takes_back ? TreeState::kTakingBack : TreeState::kUnfinished;
  for (const char* const part : {kComingArea, kGoneArea, kJournalName}) {
    BDELTA_ASSIGN(const auto info, directory->find(part));
    if (info) return TreeState::kStaging;
  }
  return TreeState::kWhole;
}

}  // namespace

Result<std::unique_ptr<UpdateArea>> UpdateArea::open(const std::filesystem::path& path, bool syncs) {
  BDELTA_ASSIGN(auto directory, io::Directory::open(path));
  const io::FileHandle& handle = directory->handle();
  if (io::retry_interrupted([&] { return handle.ops().lock(handle.fd()); }) != 0) {
    if (errno == EWOULDBLOCK) return io::file_error(ErrorCode::kInUse, path, {}, "run again when it is done");
    const bool has_no_locks = errno == EOPNOTSUPP || errno == ENOSYS || errno == ENOLCK || errno == EBADF || errno == EINVAL;
    if (!has_no_locks) return io::file_error(errno, ErrorCode::kOpenFailed, path, "locking it");
  }
  return std::unique_ptr<UpdateArea>(new UpdateArea(std::move(directory), syncs));
}

UpdateArea::~UpdateArea() {
  if (has_begun_) remove_all();
}

// The journal first: what is left without one is of no use to anybody.
void UpdateArea::remove_all() noexcept {
  (void)guarded([&]() -> Status {
    (void)directory_->remove(kJournalName, false);
    BDELTA_ASSIGN(const auto area, directory_->find(kUpdateArea));
    if (!area || !area->is_directory) return {};
    for (const char* const part : {kComingArea, kGoneArea}) (void)directory_->remove_tree(part);
    return directory_->remove(kUpdateArea, true);  // unless something else is in it
  });
  unfinished_.forget();
  has_begun_ = false;
}

Result<Resumed> UpdateArea::resume(Watch* watch) {
  BDELTA_ASSIGN(FoundAreaJournal found, find_area_journal(*directory_, true));
  if (!found.state.is_unfinished()) {
    bool is_left = found.file != nullptr;
    for (const char* const part : {kComingArea, kGoneArea}) {
      BDELTA_ASSIGN(const auto info, directory_->find(part));
      is_left = is_left || info.has_value();
    }
    found.file.reset();
    remove_all();
    return is_left ? Resumed::kDiscarded : Resumed::kNothing;
  }
  const UnfinishedNote note;
  TreeUpdate update(*directory_, found.steps, syncs_, watch);
  found.file->set_sync(&update);
  JournalWriter journal(*found.file, found.state.end_pos);
  BDELTA_TRY(update.sync());  // the marks, too, that were found and may not be on the disk yet
  if (watch) watch->set_total(found.steps.size());
  Status done = begin_watched(watch, PhaseId::kFinish, 1, found.steps.size());
  if (done) done = found.state.takes_back ? update.take_back() : update.finish();
  if (done) done = begin_watched(watch, PhaseId::kFinish, 1, 0);
  if (done) {
    BDELTA_TRY(end(journal, *found.file));
    return found.state.takes_back ? Resumed::kTakenBack : Resumed::kFinished;
  }
  if (is_interruption(done.error().code)) return still_unfinished(done.error());
  if (found.state.takes_back) return done.error();
  TreeUpdate back(*directory_, found.steps, syncs_);
  found.file->set_sync(&back);
  BDELTA_TRY(take_back(back, journal, *found.file, done.error()));
  return done.error();
}

// The journal stays, and with it what is left to do.
Error UpdateArea::still_unfinished(Error reason) const {
  reason.remedy = "resuming again goes on with it";
  return io::with_file(std::move(reason), directory_->name_of({}));
}

Status UpdateArea::begin() {
  BDELTA_ASSIGN(const auto area, directory_->find(kUpdateArea));
  std::error_code error;
  std::filesystem::path absolute = std::filesystem::absolute(directory_->name_of(area ? kComingArea : kUpdateArea), error);
  unfinished_ = io::UnfinishedName(absolute, true);
  has_begun_ = true;
  const auto make = [&]() -> Status {
    if (!area) BDELTA_TRY(directory_->make_directory(kUpdateArea, kAreaMode));
    BDELTA_TRY(directory_->make_directory(kComingArea, kAreaMode));
    return directory_->make_directory(kGoneArea, kAreaMode);
  };
  const Status made = make();
  unfinished_.opened();
  return made;
}

Status UpdateArea::carry_out(const std::vector<TreeStep>& steps) {
  BDELTA_ASSIGN(io::FileHandle file, directory_->open_entry(kJournalName, io::OpenAtKind::kCreateNew, kAreaJournalMode));
  TreeUpdate update(*directory_, steps, syncs_);
  AreaJournal output(std::move(file), directory_->name_of(kJournalName), 0);
  output.set_sync(&update);
  JournalWriter journal(output);
  BDELTA_TRY(journal.begin(JournalKind::kTree));
  for (const TreeStep& step : steps) BDELTA_TRY(journal.add(static_cast<std::uint8_t>(step.kind), encode_step(step)));
  const UnfinishedNote note;
  unfinished_.forget();
  const Status committed = journal.mark(JournalMark::kCommit);
  if (!committed) return forget_commit(update, committed.error());
  has_begun_ = false;
  const Status finished = update.finish();
  if (finished) return end(journal, output);
  return take_back(update, journal, output, finished.error());
}

// The record may be there all the same. Nothing else goes before the journal has gone for good.
Status UpdateArea::forget_commit(TreeUpdate& update, Error reason) {
  const auto steps = [&]() -> Status {
    BDELTA_TRY(directory_->remove(kJournalName, false));
    return update.sync();
  };
  if (steps()) return reason;
  has_begun_ = false;
  reason.remedy = "the update may be finished by resume_tree";
  return reason;
}

// `reason` is why, and what the caller is told if it can be done.
Status UpdateArea::take_back(TreeUpdate& update, JournalWriter& journal, AreaJournal& file, Error reason) {
  const auto steps = [&]() -> Status {
    BDELTA_TRY(journal.mark(JournalMark::kTakeBack));
    BDELTA_TRY(update.take_back());
    return end(journal, file);
  };
  if (const Status done = steps(); !done) {
    Error error = io::file_error(ErrorCode::kUnfinished, directory_->name_of({}), to_string(reason) + "; taking it back: " + to_string(done.error()),
                                 "resume_tree completes it or takes it back");
    return error;
  }
  reason.remedy += std::string(reason.remedy.empty() ? "" : "; ") + "the directory is as it was";
  return reason;
}

Status UpdateArea::end(JournalWriter& journal, AreaJournal& file) {
  BDELTA_TRY(journal.mark(JournalMark::kEnd));
  file.close();
  remove_all();
  return {};
}

Status check_whole(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return {};
  BDELTA_ASSIGN(const TreeState state, state_of(path));
  if (state != TreeState::kUnfinished && state != TreeState::kTakingBack) return {};
  return io::file_error(ErrorCode::kUnfinished, path, "it is between OLD and NEW", "resume_tree completes it or takes it back");
}

Result<TreeState> tree_state(const std::filesystem::path& directory) {
  return guarded([&] { return state_of(directory); });
}

Result<Resumed> resume_tree(const std::filesystem::path& directory, const ApplyOptions& options) {
  return guarded([&]() -> Result<Resumed> {
    Watch watch(options.progress, 0, options.time_limit_seconds);
    BDELTA_ASSIGN(const auto area, UpdateArea::open(directory, options.files.sync));
    return area->resume(&watch);
  });
}

}  // namespace bdelta
