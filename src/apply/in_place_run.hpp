// One update of a file in its place, step by step.
#pragma once

#include "apply/apply_run.hpp"
#include "apply/block_journal.hpp"
#include "apply/opened_patch.hpp"
#include "bdelta/in_place.hpp"

namespace bdelta {

// Of a file that is open and locked. Everything must outlive the run.
class InPlaceRun {
 public:
  InPlaceRun(const InPlaceFile& file, const io::OutputPlace& journal, const ApplyOptions& options,
             const InPlaceOptions& in_place) noexcept
      : file_(file), journal_place_(journal), options_(options), in_place_(in_place) {}

  // Completes what is committed, and removes what is not. True if something was completed; then the file is another one than
  // when it was opened. With dry_run only kUnfinished. The watch, which may be null, is told of what is completed; when it ends
  // the work, the next call goes on with it.
  Result<bool> settle(Report& report, Watch* watch);

  // From the patch to the file. No journal is there. patch_path is for messages.
  Result<Report> apply(OpenedPatch& patch, const std::filesystem::path& patch_path);

 private:
  // The journal while it is written; neither is there with dry_run.
  struct Journal {
    std::unique_ptr<JournalFile> file;
    std::unique_ptr<JournalWriter> writer;
  };

  Status limit_source(const PatchInfo& info, FirstBytes& source) const;
  Result<Journal> begin_journal(BlockRecorder& recorder) const;
  static Status make_target(ApplyRun& run, BlockRecorder& recorder);
  Result<bool> judge_source(ApplyRun& run, const FirstBytes& source, RandomReader& bytes, BlockRecorder& recorder,
                            const Status& made) const;
  Result<bool> is_target(ApplyRun& run, RandomReader& bytes) const;
  Result<Report> up_to_date(ApplyRun& run, Journal& journal) const;
  [[nodiscard]] Error beyond_scratch(const BlockRecorder& recorder) const;
  Status commit(const BlocksOwner& owner, Journal& journal, Report& report);
  Status carry_out(const BlocksOwner& owner, RandomReader& blocks, JournalWriter& marks, JournalFile& journal, Report& report,
                   Watch* watch);
  [[nodiscard]] Error unfinished(std::string why) const;
  [[nodiscard]] Error unfinished_by(Error interruption) const;
  [[nodiscard]] Status named(Status status, const std::filesystem::path& patch_path) const;

  const InPlaceFile& file_;
  const io::OutputPlace& journal_place_;
  const ApplyOptions& options_;
  const InPlaceOptions& in_place_;
  io::IoCounters counters_;
};

}  // namespace bdelta
