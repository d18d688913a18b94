// The way of the data when a patch is applied, as flat lists of steps.
#include "bdelta/apply.hpp"

#include <algorithm>

#include "apply/apply_run.hpp"
#include "apply/journal_file.hpp"
#include "apply/opened_patch.hpp"
#include "apply/source_file.hpp"
#include "apply/source_proof.hpp"
#include "base/guard.hpp"
#include "base/try.hpp"
#include "io/file_error.hpp"
#include "io/open.hpp"

namespace bdelta {
namespace {

Result<Report> run_steps(RandomReader& source, OpenedPatch& patch, const TargetSink& sink, const ApplyOptions& options,
                         ApplyTap* tap = nullptr) {
  ApplyRun run(source, patch.reader(), options);
  run.take_tap(tap);
  patch.set_watch(run.watch());
  BDELTA_TRY(run.read_header());
  BDELTA_TRY(run.verify_source());
  BDELTA_TRY(run.prepare());
  BDELTA_TRY(run.write_target(sink));
  BDELTA_TRY(source.check_unchanged());
  BDELTA_TRY(patch.check_unchanged());
  return run.take_report();
}

Result<Report> run_into(RandomReader& source, SequentialReader& patch, const TargetSink& sink,
                        const ApplyOptions& options) {
  return guarded([&]() -> Result<Report> {
    OpenedPatch opened(patch, options);
    return run_steps(source, opened, sink, options);
  });
}

Report counted(Report report, const io::IoCounters& counters) {
  report.read_calls = counters.read_calls;
  report.write_calls = counters.write_calls;
  return report;
}

// NEW exists already and is what the patch makes.
bool is_up_to_date(const std::filesystem::path& target, const PatchInfo& info, const FileOptions& files,
                   Timeline* timeline, Watch* watch) {
  if (target == "-" || !info.target_digest || !info.target_size) return false;
  auto existing = open_random(target, files);
  if (!existing || (*existing)->size() != info.target_size) return false;
  if (watch) watch->set_phase(PhaseId::kVerify);
  const Span span(timeline, PhaseId::kVerify, TraceSpan::kNone, *info.target_size);
  const auto digest = digest_of(**existing, watch);
  if (!digest && watch) watch->advance();  // tells an interruption from what can't be read
  return digest && *digest == *info.target_digest;
}

}  // namespace

std::uint64_t apply_buffer_bytes(const PatchInfo& info, unsigned threads) noexcept {
  constexpr std::uint64_t kMostWindowTables = std::uint64_t{5} << 20;  // copies and runs, and 1 MiB of OLD
  constexpr std::uint64_t kRest = std::uint64_t{8} << 20;
  const unsigned thread_count = thread_count_for(threads);
  const std::uint64_t window_bytes = std::max(info.window_bytes, kPlainSliceBytes);
  const std::uint64_t rebuilding_bytes = info.unpacked && thread_count > 1 ? thread_count * view::kRebuildingThreadBytes : 0;
  return windows_under_way(thread_count) * (2 * window_bytes + kMostWindowTables) + rebuilding_bytes + kRest;
}

Result<Report> apply(RandomReader& source, SequentialReader& patch, PositionedWriter& target,
                     const ApplyOptions& options) {
  return run_into(source, patch, {&target, nullptr}, options);
}

Result<Report> apply(RandomReader& source, SequentialReader& patch, SequentialWriter& target,
                     const ApplyOptions& options) {
  return run_into(source, patch, {nullptr, &target}, options);
}

Result<Report> check(RandomReader& source, SequentialReader& patch, const ApplyOptions& options) {
  return run_into(source, patch, {}, options);
}

namespace {

// `patch_path` is empty for a stream of the caller's.
Result<Report> apply_opened(const std::filesystem::path& source_path, const std::filesystem::path& target_path,
                            OpenedPatch& patch, const std::filesystem::path& patch_path, const ApplyOptions& options,
                            io::IoCounters& counters) {
  BDELTA_TRY(check_finished(target_path));
  BDELTA_ASSIGN(const io::ModelFile opened_source, open_source(source_path, options, &counters));
  RandomReader& source = *opened_source.reader;

  // What the patch is, and whether there is anything to do.
  ApplyRun run(source, patch.reader(), options);
  patch.set_watch(run.watch());
  const auto named = [&](Status status) {
    return status ? status : Status(name_file(std::move(status).error(), source_path, patch_path));
  };
  BDELTA_TRY(named(run.read_header()));
  if (is_up_to_date(target_path, run.info(), options.files, run.timeline(), run.watch())) {
    if (options.files.sync) BDELTA_TRY(io::sync_existing(target_path));
    run.skip_rest();
    Report report = run.up_to_date_report();
    std::error_code error;  // no more of the patch than its head was read
    const std::uint64_t patch_bytes = std::filesystem::file_size(patch_path, error);
    if (!error) report.patch_bytes = patch_bytes;
    return counted(std::move(report), counters);
  }

  // OLD is proven before NEW is opened.
  BDELTA_TRY(named(run.verify_source()));
  BDELTA_TRY(named(run.prepare()));
  BDELTA_ASSIGN(const auto output, io::open_output(target_path, options.files, &counters, opened_source.model));
  BDELTA_TRY(output->reserve(run.info().target_size.value_or(0)));

  // The windows; then OLD must still be what was proven, and NEW comes into being.
  PositionedWriter* const positioned = output->positioned();
  const TargetSink sink = positioned ? TargetSink{positioned, nullptr} : TargetSink{nullptr, output.get()};
  BDELTA_TRY(named(run.write_target(sink)));
  BDELTA_TRY(source.check_unchanged());
  BDELTA_TRY(patch.check_unchanged());
  Report report = run.take_report();  // before NEW appears, because for want of memory it can fail
  {
    const Span span(run.timeline(), PhaseId::kFinish);
    BDELTA_TRY(positioned ? positioned->finish() : output->finish());
  }
  run.update_times(report);
  return counted(std::move(report), counters);
}

Result<Report> apply_paths(const std::filesystem::path& source, const std::filesystem::path& target,
                           const std::filesystem::path& patch_path, const ApplyOptions& options) {
  if (target != "-" && same_file(target, patch_path)) {
    return io::file_error(ErrorCode::kSamePath, target, "NEW and PATCH");
  }
  io::IoCounters counters;
  BDELTA_ASSIGN(OpenedPatch patch, OpenedPatch::open(patch_path, options, &counters));
  return apply_opened(source, target, patch, patch_path, options, counters);
}

Result<Report> check_paths(const std::filesystem::path& source_path, const std::filesystem::path& patch_path,
                           const ApplyOptions& options, ApplyTap* tap = nullptr) {
  io::IoCounters counters;
  BDELTA_ASSIGN(OpenedPatch patch, OpenedPatch::open(patch_path, options, &counters));
  BDELTA_TRY(check_finished(source_path));
  BDELTA_ASSIGN(const auto source, io::open_random(source_path, options.files, &counters));
  auto report = run_steps(*source, patch, {}, options, tap);
  if (!report) return name_file(std::move(report).error(), source_path, patch_path);
  return counted(std::move(*report), counters);
}

}  // namespace

Result<Report> apply_file(const std::filesystem::path& source, const std::filesystem::path& target,
                          const std::filesystem::path& patch, const ApplyOptions& options) {
  return guarded([&] { return apply_paths(source, target, patch, options); });
}

Result<Report> apply_file(const std::filesystem::path& source, const std::filesystem::path& target,
                          SequentialReader& patch, const ApplyOptions& options) {
  return guarded([&] {
    io::IoCounters counters;
    OpenedPatch opened(patch, options);
    return apply_opened(source, target, opened, {}, options, counters);
  });
}

Result<Report> check_file(const std::filesystem::path& source, const std::filesystem::path& patch,
                          const ApplyOptions& options) {
  return guarded([&] { return check_paths(source, patch, options); });
}

Result<Report> check_file_tapped(const std::filesystem::path& source, const std::filesystem::path& patch,
                                 const ApplyOptions& options, ApplyTap& tap) {
  return check_paths(source, patch, options, &tap);
}

}  // namespace bdelta
