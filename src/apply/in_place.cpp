// The way of the data when a patch is applied in place, as flat lists of steps.
#include "bdelta/in_place.hpp"

#include <cerrno>
#include <chrono>

#include "apply/apply_run.hpp"
#include "apply/block_journal.hpp"
#include "apply/opened_patch.hpp"
#include "base/guard.hpp"
#include "base/try.hpp"
#include "io/file_error.hpp"

namespace bdelta {
namespace {

Error unfinished(const std::filesystem::path& file, std::string why) {
  return io::file_error(ErrorCode::kUnfinished, file, std::move(why), "complete it with resume_in_place");
}

Result<io::OutputPlace> find_journal_place(const io::OutputPlace& file, const InPlaceOptions& options) {
  return io::find_output_place(options.journal.value_or(journal_beside(file)));
}

Result<bool> is_in_memory(const std::filesystem::path& directory) {
  bool in_memory = false;
  while (io::file_ops().is_in_memory(directory.c_str(), in_memory) != 0) {
    if (errno != EINTR) return io::file_error(errno, ErrorCode::kOpenFailed, directory, "asking what keeps it");
  }
  return in_memory;
}

// A journal has to outlive what the file does not.
Status check_journal_place(const io::OutputPlace& journal, const InPlaceFile& file, const InPlaceOptions& options) {
  const auto refused = [&](const char* why) {
    return Status(io::file_error(ErrorCode::kUsage, journal.name, std::string("the journal ") + why,
                                 "name a file on a disk as the journal"));
  };
  if (file.is_device() && !options.journal) return refused("of a device can't stand beside it");
  io::FileInfo directory;
  while (io::file_ops().path_info(journal.directory.c_str(), directory) != 0) {
    if (errno != EINTR) return io::file_error(errno, ErrorCode::kOpenFailed, journal.directory, "for the journal");
  }
  if (file.is_device() && directory.device == file.info().device_number) return refused("would be on the device itself");
  BDELTA_ASSIGN(const bool in_memory, is_in_memory(journal.directory));
  if (!in_memory) return {};
  bool file_in_memory = false;
  if (!file.is_device()) {
    BDELTA_ASSIGN(file_in_memory, is_in_memory(file.place().directory));
  }
  return file_in_memory ? Status() : refused("would go with the power, as that place is in memory");
}

// One update of a file that is open and locked.
class InPlaceRun {
 public:
  InPlaceRun(const InPlaceFile& file, io::OutputPlace journal, const ApplyOptions& options, const InPlaceOptions& in_place)
      : file_(file), journal_place_(std::move(journal)), options_(options), in_place_(in_place) {}

  // Completes what is committed, and removes what is not. True if something was completed; then the file is to be opened anew.
  Result<bool> settle(Report& report) {
    if (!journal_place_.existing) return false;
    std::unique_ptr<JournalFile> journal;  // first, as it keeps others out
    if (!in_place_.dry_run) {
      BDELTA_ASSIGN(journal, JournalFile::open(journal_place_, options_.files.sync));
    }
    BDELTA_ASSIGN(const auto found, find_journal(journal_place_, JournalKind::kBlocks, file_.info().owner));
    if (!found) return false;
    if (!journal && found->state.is_unfinished()) return unfinished(file_.place().name, "an update was interrupted");
    if (!journal) return false;
    if (!found->state.is_unfinished()) {
      BDELTA_TRY(journal->remove());
      return false;
    }
    BDELTA_ASSIGN(const auto bytes, file_.make_reader(options_.files, nullptr));
    const auto named = [&](Error error) { return io::with_file(std::move(error), journal_place_.name); };
    const auto owner = read_owner(*found->reader);
    if (!owner) return named(owner.error());
    if (Status proven = prove_owner(*owner, file_, *bytes, *found->reader, nullptr); !proven) return named(proven.error());
    JournalWriter marks(*journal, found->state.end_pos);
    BDELTA_TRY(carry_out(*owner, *found->reader, marks, *journal, report));
    report.source_bytes = owner->before_bytes;
    report.target_bytes = owner->target_bytes;
    report.target_digests.xxh3_128 = owner->target_digest;
    report.journal_bytes = found->state.end_pos;
    report.verified = true;
    return true;
  }

  // From the patch to the file.
  Result<Report> apply(OpenedPatch& patch, const std::filesystem::path& patch_path) {
    patch_path_ = &patch_path;
    BDELTA_ASSIGN(const auto bytes, file_.make_reader(options_.files, &counters_));
    FirstBytes source(*bytes);
    ApplyRun run(source, patch.reader(), options_);
    patch.set_watch(run.watch());
    BDELTA_TRY(named(run.read_header()));
    const PatchInfo& info = run.info();
    if (file_.is_device() && info.source_size) source.limit(*info.source_size);
    if (file_.is_device() && info.target_size.value_or(0) > file_.bytes()) {
      return io::file_error(ErrorCode::kNoSpace, file_.place().name, "NEW has " + std::to_string(*info.target_size) +
                                                    " bytes, the device " + std::to_string(file_.bytes()));
    }

    // Windows are executed while OLD is read for its digest, which decides before anything else does.
    BlockRecorder recorder(*bytes, file_.is_device() ? file_.bytes() : ~std::uint64_t{0}, info.source_digest ? source.size() : 0);
    std::unique_ptr<JournalFile> journal;
    std::optional<JournalWriter> writer;
    if (!in_place_.dry_run) {
      BDELTA_ASSIGN(journal, JournalFile::create(journal_place_, options_.files.sync));
      writer.emplace(*journal);
      BDELTA_TRY(writer->begin(JournalKind::kBlocks));
      recorder.record_to(*writer, in_place_.scratch_limit_bytes);
    }
    Status made = make_target(run, recorder);
    BDELTA_ASSIGN(const bool is_new, judge_source(run, source, *bytes, recorder, made));
    if (is_new) return up_to_date(run, journal.get());
    BDELTA_TRY(named(std::move(made)));
    BDELTA_TRY(source.check_unchanged());
    BDELTA_TRY(patch.check_unchanged());

    Report report = run.take_report();
    if (info.source_digest) report.source_digests.xxh3_128 = info.source_digest;
    report.written_bytes = recorder.differing_bytes();
    report.journal_bytes = recorder.journal_bytes();
    report.up_to_date = recorder.differing_bytes() == 0 && (file_.is_device() || recorder.target_bytes() == file_.bytes());
    if (report.up_to_date) report.journal_bytes = 0;
    if (recorder.is_beyond_limit()) return beyond_scratch(recorder);
    if (journal && !report.up_to_date) {
      const Span span(run.timeline(), PhaseId::kFinish);
      BDELTA_TRY(commit({file_.bytes(), recorder.target_bytes(), run.target_digest()}, *writer, *journal, report));
    } else if (journal) {
      BDELTA_TRY(journal->remove());
    }
    run.update_times(report);
    report.read_calls = counters_.read_calls;
    report.write_calls = counters_.write_calls;
    return report;
  }

 private:
  Status make_target(ApplyRun& run, BlockRecorder& recorder) {
    run.assume_source_verified();
    BDELTA_TRY(run.verify_source());
    BDELTA_TRY(run.prepare());
    BDELTA_TRY(run.write_target({nullptr, &recorder}));
    return recorder.finish();
  }

  // Whether the file is NEW already. An error where it is not OLD either, whatever came of the windows; `made` stands else.
  Result<bool> judge_source(ApplyRun& run, FirstBytes& source, RandomReader& bytes, BlockRecorder& recorder, const Status& made) {
    const PatchInfo& info = run.info();
    const int failure = made ? 0 : exit_class(made.error().code);
    if (failure != 0 && (failure < 3 || failure > 5)) return false;
    const bool has_size = !info.source_size || *info.source_size == source.size();
    if (has_size && !info.source_digest) return false;
    std::optional<Digest128> found;
    if (has_size) {
      BDELTA_ASSIGN(found, recorder.digest_source(run.watch()));
      if (*found == *info.source_digest) return false;
    }
    if (!info.target_digest || !info.target_size || bytes.size() < *info.target_size) return wrong_source(info, source, found);
    if (!file_.is_device() && bytes.size() != *info.target_size) return wrong_source(info, source, found);
    if (!found || source.size() != *info.target_size) {
      FirstBytes target(bytes);
      target.limit(*info.target_size);
      BDELTA_ASSIGN(const Digest128 standing, digest_of(target, run.watch()));
      if (standing == *info.target_digest) return true;
    }
    return found == info.target_digest ? Result<bool>(true) : wrong_source(info, source, found);
  }

  Error wrong_source(const PatchInfo& info, const RandomReader& source, const std::optional<Digest128>& found) const {
    Error error;
    error.code = found ? ErrorCode::kWrongSourceDigest : ErrorCode::kWrongSourceSize;
    error.detail = found ? "expected digest " + to_hex(*info.source_digest).substr(0, 16) + "…, found " +
                               to_hex(*found).substr(0, 16) + "…"
                         : "expected " + std::to_string(*info.source_size) + " bytes, found " + std::to_string(source.size());
    error.remedy = "give the version that the patch starts from";
    return io::with_file(std::move(error), file_.place().name);
  }

  Result<Report> up_to_date(ApplyRun& run, JournalFile* journal) {
    if (journal) BDELTA_TRY(journal->remove());
    if (options_.files.sync) BDELTA_TRY(file_.sync());
    Report report = run.take_report();
    report.up_to_date = report.verified = true;
    report.target_digests.xxh3_128 = run.info().target_digest;
    return report;
  }

  Error beyond_scratch(const BlockRecorder& recorder) const {
    Error error = io::file_error(ErrorCode::kScratchLimit, file_.place().name,
                                 "its journal would take " + std::to_string(recorder.journal_bytes()) + " bytes, the limit is " +
                                     std::to_string(in_place_.scratch_limit_bytes), "raise scratch_limit_bytes");
    error.needed_bytes = recorder.journal_bytes();
    return error;
  }

  // The file is as it was until the mark is there. From then on it can only be completed.
  Status commit(const BlocksOwner& owner, JournalWriter& writer, JournalFile& journal, Report& report) {
    BDELTA_TRY(add_owner(writer, owner));
    BDELTA_TRY(file_.claim_growth(owner.target_bytes));
    io::note_unfinished(true);
    journal.keep();
    if (Status marked = writer.mark(JournalMark::kCommit); !marked) {
      (void)journal.remove();
      if (owner.target_bytes > owner.before_bytes) (void)file_.resize(owner.before_bytes);
      io::note_unfinished(false);
      return marked;
    }
    const auto done = [&]() -> Status {
      BDELTA_ASSIGN(const auto found, find_journal_again());
      return carry_out(owner, *found, writer, journal, report);
    };
    Status status = done();
    if (status) io::note_unfinished(false);
    return status;
  }

  Result<std::unique_ptr<RandomReader>> find_journal_again() const {
    auto opened = io::open_regular(journal_place_.path);
    if (!opened) return unfinished(file_.place().name, to_string(opened.error()));
    return std::unique_ptr<RandomReader>(new io::RandomFile(std::move(*opened), journal_place_.name, nullptr));
  }

  // What a committed journal says; the journal is gone then.
  Status carry_out(const BlocksOwner& owner, RandomReader& blocks, JournalWriter& marks, JournalFile& journal, Report& report) {
    const auto steps = [&]() -> Status {
      BDELTA_ASSIGN(report.written_bytes, write_blocks(owner, file_, blocks, &counters_));
      return options_.files.sync ? file_.sync() : Status();
    };
    if (Status status = guarded(steps); !status) return unfinished(file_.place().name, to_string(status.error()));
    (void)marks.mark(JournalMark::kEnd);  // should the journal come back, it says that it was carried out
    return journal.remove();
  }

  // With the file that it concerns.
  Status named(Status status) const {
    if (status) return status;
    Error error = std::move(status).error();
    switch (exit_class(error.code)) {
      case 4: return io::with_file(std::move(error), file_.place().name);
      case 2:
      case 3:
      case 5: return io::with_file(std::move(error), *patch_path_);
      case 6: return error.code == ErrorCode::kOutOfMemory ? error : io::with_file(std::move(error), *patch_path_);
      default: return error;
    }
  }

  const InPlaceFile& file_;
  const io::OutputPlace journal_place_;
  const ApplyOptions& options_;
  const InPlaceOptions& in_place_;
  const std::filesystem::path* patch_path_ = nullptr;
  io::IoCounters counters_;
};

Status check_in_place_usage(const ApplyOptions& options) {
  if (!options.target_mode) return {};
  return Error{ErrorCode::kUsage, "target_mode is for a NEW that is made; in place a file keeps its permissions"};
}

struct Opened {
  InPlaceFile file;
  io::OutputPlace journal;
};

Result<Opened> open_in_place(const std::filesystem::path& path, const InPlaceOptions& in_place) {
  BDELTA_ASSIGN(InPlaceFile file, InPlaceFile::open(path));
  BDELTA_ASSIGN(io::OutputPlace journal, find_journal_place(file.place(), in_place));
  BDELTA_TRY(check_journal_place(journal, file, in_place));
  return Opened{std::move(file), std::move(journal)};
}

Result<Report> apply_in_place_paths(const std::filesystem::path& path, const std::filesystem::path& patch_path,
                                    const ApplyOptions& options, const InPlaceOptions& in_place) {
  BDELTA_TRY(check_in_place_usage(options));
  if (same_file(path, patch_path)) return io::file_error(ErrorCode::kSamePath, path, "FILE and PATCH");
  std::optional<Opened> opened;
  for (bool settled = false; !settled;) {
    opened.reset();
    BDELTA_ASSIGN(opened, open_in_place(path, in_place));
    Report completed;
    InPlaceRun run(opened->file, opened->journal, options, in_place);
    BDELTA_ASSIGN(const bool again, run.settle(completed));
    settled = !again;
  }
  BDELTA_ASSIGN(OpenedPatch patch, OpenedPatch::open(patch_path, options, nullptr));
  InPlaceRun run(opened->file, opened->journal, options, in_place);
  return run.apply(patch, patch_path);
}

Result<Report> resume_in_place_paths(const std::filesystem::path& path, const ApplyOptions& options, InPlaceOptions in_place) {
  in_place.dry_run = false;
  const auto begin = std::chrono::steady_clock::now();
  BDELTA_ASSIGN(const Opened opened, open_in_place(path, in_place));
  Report report;
  report.source_bytes = report.target_bytes = opened.file.bytes();
  InPlaceRun run(opened.file, opened.journal, options, in_place);
  BDELTA_ASSIGN(const bool completed, run.settle(report));
  report.up_to_date = !completed;
  report.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

}  // namespace

Result<Report> apply_in_place(const std::filesystem::path& file, const std::filesystem::path& patch, const ApplyOptions& options,
                              const InPlaceOptions& in_place) {
  return guarded([&] { return apply_in_place_paths(file, patch, options, in_place); });
}

Result<Report> resume_in_place(const std::filesystem::path& file, const ApplyOptions& options, const InPlaceOptions& in_place) {
  return guarded([&] { return resume_in_place_paths(file, options, in_place); });
}

Result<bool> is_unfinished(const std::filesystem::path& file, const InPlaceOptions& in_place) {
  return guarded([&]() -> Result<bool> {
    BDELTA_ASSIGN(const io::OutputPlace place, io::find_output_place(file));
    if (!place.existing) return io::file_error(ErrorCode::kNotFound, file, {});
    BDELTA_ASSIGN(const io::OutputPlace journal, find_journal_place(place, in_place));
    BDELTA_ASSIGN(const auto found, find_journal(journal, JournalKind::kBlocks, place.existing->owner));
    return found && found->state.is_unfinished();
  });
}

}  // namespace bdelta
