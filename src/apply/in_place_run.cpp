#include "apply/in_place_run.hpp"

#include "apply/source_proof.hpp"
#include "apply/watched_resume.hpp"
#include "base/guard.hpp"
#include "base/try.hpp"
#include "io/file_error.hpp"

namespace bdelta {
namespace {

// Of the time that resuming takes: most of a file is mostly read alone.
constexpr double kProvingShare = 0.7;

// What patches and OLD are to blame for.
constexpr int kFirstBlamed = 3;
constexpr int kLastBlamed = 5;

}  // namespace

Error InPlaceRun::unfinished(std::string why) const {
  return io::file_error(ErrorCode::kUnfinished, file_.place().name, std::move(why), "complete it with resume_in_place");
}

// The journal stays, and with it what is left to do.
Error InPlaceRun::unfinished_by(Error interruption) const {
  interruption.remedy = "resuming again goes on with it";
  return io::with_file(std::move(interruption), file_.place().name);
}

Result<bool> InPlaceRun::settle(Report& report, Watch* watch) {
  if (!journal_place_.existing) return false;
  std::unique_ptr<JournalFile> journal;  // first, as it keeps others out
  if (!in_place_.dry_run) {
    BDELTA_ASSIGN(journal, JournalFile::open(journal_place_, options_.files.sync));
  }
  BDELTA_ASSIGN(const auto found, find_journal(journal_place_, JournalKind::kBlocks, file_.info().owner));
  if (!found) return false;
  if (!journal) return found->state.is_unfinished() ? Result<bool>(unfinished("an update was interrupted")) : false;
  if (!found->state.is_unfinished()) {
    BDELTA_TRY(journal->remove());
    return false;
  }
  BDELTA_ASSIGN(const auto bytes, file_.make_reader(options_.files, nullptr));
  const auto owner = read_owner(*found->reader);
  if (!owner) return io::with_file(owner.error(), journal_place_.name);
  if (watch) watch->set_total(owner->target_bytes);
  Status proven = begin_watched(watch, PhaseId::kVerify, kProvingShare, owner->target_bytes);
  if (proven) proven = prove_owner(*owner, file_, *bytes, *found->reader, watch);
  if (!proven) {
    if (is_interruption(proven.error().code)) return unfinished_by(std::move(proven).error());
    return io::with_file(std::move(proven).error(), journal_place_.name);
  }
  JournalWriter marks(*journal, found->state.end_pos);
  BDELTA_TRY(carry_out(*owner, *found->reader, marks, *journal, report, watch));
  report.source_bytes = owner->before_bytes;
  report.target_bytes = owner->target_bytes;
  report.target_digests.xxh3_128 = owner->target_digest;
  report.journal_bytes = found->state.end_pos;
  report.verified = true;
  return true;
}

Result<Report> InPlaceRun::apply(OpenedPatch& patch, const std::filesystem::path& patch_path) {
  BDELTA_ASSIGN(const auto bytes, file_.make_reader(options_.files, &counters_));
  FirstBytes source(*bytes);
  ApplyRun run(source, patch.reader(), options_);
  patch.set_watch(run.watch());
  BDELTA_TRY(named(run.read_header(), patch_path));
  const PatchInfo& info = run.info();
  BDELTA_TRY(limit_source(info, source));

  // Windows are executed while OLD is read for its digest, which decides before anything else does.
  BlockRecorder recorder(*bytes, file_.is_device() ? file_.bytes() : ~std::uint64_t{0}, info.source_digest ? source.size() : 0);
  BDELTA_ASSIGN(Journal journal, begin_journal(recorder));
  Status made = make_target(run, recorder);
  BDELTA_ASSIGN(const bool is_new, judge_source(run, source, *bytes, recorder, made));
  if (is_new) return up_to_date(run, journal);
  BDELTA_TRY(named(std::move(made), patch_path));
  BDELTA_TRY(source.check_unchanged());
  BDELTA_TRY(patch.check_unchanged());
  const bool resizes = !file_.is_device() && recorder.target_bytes() != file_.bytes();
  if (recorder.differing_bytes() == 0 && !resizes) return up_to_date(run, journal);
  if (recorder.is_beyond_limit()) return beyond_scratch(recorder);

  Report report = run.take_report();
  if (info.source_digest) report.source_digests.xxh3_128 = info.source_digest;
  report.written_bytes = recorder.differing_bytes();
  report.journal_bytes = recorder.journal_bytes();
  if (journal.file) {
    const Span span(run.timeline(), PhaseId::kFinish);
    BDELTA_TRY(commit({file_.bytes(), recorder.target_bytes(), run.target_digest()}, journal, report));
  }
  run.update_times(report);
  report.read_calls = counters_.read_calls;
  report.write_calls = counters_.write_calls;
  return report;
}

// Of a device OLD is the beginning.
Status InPlaceRun::limit_source(const PatchInfo& info, FirstBytes& source) const {
  if (!file_.is_device()) return {};
  if (info.source_size) source.limit(*info.source_size);
  if (info.target_size.value_or(0) <= file_.bytes()) return {};
  return io::file_error(ErrorCode::kNoSpace, file_.place().name, "NEW has " + std::to_string(*info.target_size) +
                                                                     " bytes, the device " + std::to_string(file_.bytes()));
}

Result<InPlaceRun::Journal> InPlaceRun::begin_journal(BlockRecorder& recorder) const {
  Journal journal;
  if (in_place_.dry_run) return journal;
  BDELTA_ASSIGN(journal.file, JournalFile::create(journal_place_, options_.files.sync));
  journal.writer = std::make_unique<JournalWriter>(*journal.file);
  BDELTA_TRY(journal.writer->begin(JournalKind::kBlocks));
  recorder.record_to(*journal.writer, in_place_.scratch_limit_bytes);
  return journal;
}

Status InPlaceRun::make_target(ApplyRun& run, BlockRecorder& recorder) {
  run.assume_source_verified();
  BDELTA_TRY(run.verify_source());
  BDELTA_TRY(run.prepare());
  BDELTA_TRY(run.write_target({nullptr, &recorder}));
  return recorder.finish();
}

// Whether the file is NEW already. An error where it is not OLD either, whatever came of the windows; `made` stands else.
Result<bool> InPlaceRun::judge_source(ApplyRun& run, const FirstBytes& source, RandomReader& bytes, BlockRecorder& recorder,
                                      const Status& made) const {
  const PatchInfo& info = run.info();
  const int failure = made ? kFirstBlamed : exit_class(made.error().code);
  const bool has_size = !info.source_size || *info.source_size == source.size();
  if (failure < kFirstBlamed || failure > kLastBlamed || (has_size && !info.source_digest)) return false;
  std::optional<Digest128> found;
  if (has_size) {
    BDELTA_ASSIGN(found, recorder.digest_source(run.watch()));
    if (*found == *info.source_digest) return false;
  }
  bool is_new = false;
  if (found && info.target_size == source.size()) {
    is_new = found == info.target_digest;
  } else {
    BDELTA_ASSIGN(is_new, is_target(run, bytes));
  }
  if (is_new) return true;
  return io::with_file(wrong_source(info, source.size(), found), file_.place().name);
}

Result<bool> InPlaceRun::is_target(ApplyRun& run, RandomReader& bytes) const {
  const PatchInfo& info = run.info();
  if (!info.target_digest || !info.target_size || bytes.size() < *info.target_size) return false;
  if (!file_.is_device() && bytes.size() != *info.target_size) return false;
  FirstBytes target(bytes);
  target.limit(*info.target_size);
  BDELTA_ASSIGN(const Digest128 found, digest_of(target, run.watch()));
  return found == *info.target_digest;
}

Result<Report> InPlaceRun::up_to_date(ApplyRun& run, Journal& journal) const {
  if (journal.file) BDELTA_TRY(journal.file->remove());
  if (options_.files.sync && !in_place_.dry_run) BDELTA_TRY(file_.sync());
  return run.up_to_date_report();
}

Error InPlaceRun::beyond_scratch(const BlockRecorder& recorder) const {
  Error error = io::file_error(ErrorCode::kScratchLimit, file_.place().name,
                               "its journal would take " + std::to_string(recorder.journal_bytes()) + " bytes, the limit is " +
                                   std::to_string(in_place_.scratch_limit_bytes), "raise scratch_limit_bytes");
  error.needed_bytes = recorder.journal_bytes();
  return error;
}

// The file is as it was until the mark is there. From then on it can only be completed.
Status InPlaceRun::commit(const BlocksOwner& owner, Journal& journal, Report& report) {
  BDELTA_TRY(add_owner(*journal.writer, owner));
  BDELTA_TRY(file_.claim_growth(owner.target_bytes));
  io::note_unfinished(true);
  journal.file->keep();
  if (Status marked = journal.writer->mark(JournalMark::kCommit); !marked) {
    (void)journal.file->remove();
    if (owner.target_bytes > owner.before_bytes) (void)file_.resize(owner.before_bytes);  // gives the claim back
    io::note_unfinished(false);
    return marked;
  }
  auto opened = guarded([&] { return io::open_regular(journal_place_.path); });
  if (!opened) return unfinished(to_string(opened.error()));
  io::RandomFile blocks(std::move(*opened), journal_place_.name, nullptr);
  Status done = carry_out(owner, blocks, *journal.writer, *journal.file, report, nullptr);
  if (done || done.error().code != ErrorCode::kUnfinished) io::note_unfinished(false);
  return done;
}

// What a committed journal says; the journal is gone then.
Status InPlaceRun::carry_out(const BlocksOwner& owner, RandomReader& blocks, JournalWriter& marks, JournalFile& journal,
                             Report& report, Watch* watch) {
  io::note_unfinished(true);
  const auto steps = [&]() -> Status {
    BDELTA_TRY(begin_watched(watch, PhaseId::kWrite, 1, blocks.size()));
    BDELTA_ASSIGN(report.written_bytes, write_blocks(owner, file_, blocks, &counters_, watch));
    BDELTA_TRY(begin_watched(watch, PhaseId::kWrite, 1, 0));
    return options_.files.sync ? file_.sync() : Status();
  };
  if (Status status = guarded(steps); !status) {
    if (is_interruption(status.error().code)) return unfinished_by(std::move(status).error());
    return unfinished(to_string(status.error()));
  }
  io::note_unfinished(false);
  (void)marks.mark(JournalMark::kEnd);  // should the journal come back, it says that it was carried out
  return journal.remove();
}

// With the file that it concerns.
Status InPlaceRun::named(Status status, const std::filesystem::path& patch_path) const {
  return status ? status : Status(name_file(std::move(status).error(), file_.place().name, patch_path));
}

}  // namespace bdelta
