// The way of the data when a patch is made, as flat lists of steps.
#include "bdelta/create.hpp"

#include "base/guard.hpp"
#include "base/try.hpp"
#include "create/create_run.hpp"
#include "io/file_error.hpp"
#include "io/open.hpp"

namespace bdelta {
namespace {

Status make_patch(CreateRun& run) {
  BDELTA_TRY(run.check_limits());
  BDELTA_TRY(run.load_inputs());
  BDELTA_TRY(run.digest_inputs());
  run.settle_budget();
  run.begin_patch();
  run.align_members();
  BDELTA_TRY(run.leave_out_file_digests());
  BDELTA_TRY(run.leave_out_header_sums());
  BDELTA_TRY(run.find_programs());
  BDELTA_TRY(run.move_numbers());
  for (const TargetRange& segment : run.segments()) {
    BDELTA_TRY(run.load_segment(segment));
    BDELTA_TRY(run.find_covers());
    BDELTA_TRY(run.choose_covers());
    BDELTA_TRY(run.find_words());
    BDELTA_TRY(run.find_target_copies());
    BDELTA_TRY(run.compare_prediction());
    BDELTA_TRY(run.encode());
  }
  BDELTA_TRY(run.finish_body());
  return run.self_check();
}

Result<Report> create_streams(RandomReader& source, RandomReader& target, SequentialWriter& patch,
                              const CreateOptions& options) {
  CreateRun run(source, target, options);
  BDELTA_TRY(make_patch(run));
  BDELTA_TRY(source.check_unchanged());
  BDELTA_TRY(target.check_unchanged());
  BDELTA_TRY(run.write(patch));
  return run.take_report();
}

Status check_other_file(const std::filesystem::path& patch, const std::filesystem::path& input) {
  if (patch == "-" || !same_file(input, patch)) return {};
  return Error{ErrorCode::kSamePath, "PATCH and an input are both " + io::shown(patch)};
}

Result<Report> create_path(RandomReader& source, RandomReader& target, const std::filesystem::path& patch_path,
                           const CreateOptions& options, io::IoCounters& counters) {
  // Opened before the work, so that a refusal comes at once.
  BDELTA_ASSIGN(const auto patch, io::open_output(patch_path, options.files, &counters));

  CreateRun run(source, target, options);
  Status made = make_patch(run);
  BDELTA_TRY(source.check_unchanged());  // explains a failed self-check better than the check itself
  BDELTA_TRY(target.check_unchanged());
  BDELTA_TRY(std::move(made));
  BDELTA_TRY(patch->reserve(run.patch_bytes()));
  BDELTA_TRY(run.write(*patch));

  Report report = run.take_report();  // before PATCH appears, because for want of memory it can fail
  BDELTA_TRY(run.finish(*patch));
  run.update_times(report);
  report.read_calls = counters.read_calls;
  report.write_calls = counters.write_calls;
  return report;
}

Result<Report> create_paths(const std::filesystem::path& source_path, const std::filesystem::path& target_path,
                            const std::filesystem::path& patch_path, const CreateOptions& options) {
  BDELTA_TRY(check_other_file(patch_path, source_path));
  BDELTA_TRY(check_other_file(patch_path, target_path));
  io::IoCounters counters;
  BDELTA_ASSIGN(const auto source, io::open_random(source_path, options.files, &counters));
  BDELTA_ASSIGN(const auto target, io::open_random(target_path, options.files, &counters));
  return create_path(*source, *target, patch_path, options, counters);
}

Result<Report> create_to_open(const std::filesystem::path& source_path, RandomReader& target,
                              const std::filesystem::path& patch_path, const CreateOptions& options) {
  BDELTA_TRY(check_other_file(patch_path, source_path));
  io::IoCounters counters;
  BDELTA_ASSIGN(const auto source, io::open_random(source_path, options.files, &counters));
  return create_path(*source, target, patch_path, options, counters);
}

}  // namespace

Result<Report> create(RandomReader& source, RandomReader& target, SequentialWriter& patch,
                      const CreateOptions& options) {
  return guarded([&] { return create_streams(source, target, patch, options); });
}

Result<Report> create_file(const std::filesystem::path& source, const std::filesystem::path& target,
                           const std::filesystem::path& patch, const CreateOptions& options) {
  return guarded([&] { return create_paths(source, target, patch, options); });
}

Result<Report> create_file(const std::filesystem::path& source, RandomReader& target,
                           const std::filesystem::path& patch, const CreateOptions& options) {
  return guarded([&] { return create_to_open(source, target, patch, options); });
}

}  // namespace bdelta
