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
  PatchMaking making(source, target, call.options, call.timeline, call.watch, trees);
  Status made = making.make();
  BDELTA_TRY(source.check_unchanged());  // explains a failed self-check better than the check itself
  BDELTA_TRY(target.check_unchanged());
  if (!made) return name_file(std::move(made).error(), source.size() < target.size() ? call.target : call.source, call.patch);
  CreateRun& run = making.run();
  BDELTA_TRY(patch.reserve(run.patch_bytes()));
  BDELTA_TRY(run.write(patch));

  Report report = run.take_report();  // before PATCH appears, because for want of memory it can fail
  BDELTA_TRY(run.finish(patch));
  run.update_times(report);
  report.read_calls = call.counters.read_calls;
  report.write_calls = call.counters.write_calls;
  return report;
}

}  // namespace bdelta
