#include "create/file_call.hpp"

#include "base/try.hpp"
#include "io/file_error.hpp"

namespace bdelta {
namespace {

// What went wrong in the work, with the file it concerns. Errors of the io room name theirs already.
Error name_file(Error error, const std::filesystem::path& larger, const std::filesystem::path& patch) {
  switch (error.code) {
    case ErrorCode::kFileTooLarge: return io::with_file(std::move(error), larger);
    case ErrorCode::kPatchTooLarge:
    case ErrorCode::kSelfCheckFailed: return io::with_file(std::move(error), patch);
    default: return error;
  }
}

}  // namespace

Result<Report> create_into(OutputFile& patch, RandomReader& source, RandomReader& target, FileCall& call,
                           const TreePair* trees) {
  const CreateTask files{source, target, call.options, call.timeline, call.watch, trees};
  Result<Patch> made = make_patch(files);
  BDELTA_TRY(source.check_unchanged());  // explains a failed self-check better than the check itself
  BDELTA_TRY(target.check_unchanged());
  if (!made) return name_file(std::move(made).error(), source.size() < target.size() ? call.target : call.source, call.patch);
  BDELTA_TRY(patch.reserve(made->size()));
  BDELTA_TRY(write_patch(files, *made, patch));

  Report report = take_report(files, *made);  // before PATCH appears, because for want of memory it can fail
  {
    const Span span(&call.timeline, PhaseId::kFinish);
    call.watch.set_phase(PhaseId::kFinish);
    BDELTA_TRY(patch.finish());
  }
  call.timeline.update(report.phases, kCreatePhases);
  report.wall_seconds = call.timeline.elapsed_seconds();
  report.read_calls = call.counters.read_calls;
  report.write_calls = call.counters.write_calls;
  return report;
}

}  // namespace bdelta
