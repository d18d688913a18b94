// The way of the data when a patch is made, as flat lists of steps.
#include "bdelta/create.hpp"

#include <algorithm>
#include <optional>

#include "base/guard.hpp"
#include "base/try.hpp"
#include "bdelta/apply.hpp"
#include "create/create_run.hpp"
#include "create/input_file.hpp"
#include "io/file_error.hpp"
#include "io/open.hpp"
#include "view/find_streams.hpp"

namespace bdelta {
namespace {

Status make_patch(CreateRun& run) {
  BDELTA_TRY(run.check_limits());
  BDELTA_TRY(run.load_inputs());
  BDELTA_TRY(run.digest_inputs());
  run.settle_budget();
  run.begin_patch();
  BDELTA_TRY(run.add_views());
  run.find_members();
  run.find_images();
  BDELTA_TRY(run.find_fills());
  run.find_programs();
  BDELTA_TRY(run.move_numbers());
  for (const TargetRange& segment : run.segments()) {
    BDELTA_TRY(run.load_segment(segment));
    BDELTA_TRY(run.find_covers());
    BDELTA_TRY(run.choose_covers());
    BDELTA_TRY(run.find_substitutions());
    BDELTA_TRY(run.find_target_copies());
    BDELTA_TRY(run.compare_prediction());
    BDELTA_TRY(run.encode());
  }
  BDELTA_TRY(run.finish_body());
  return run.self_check();
}

// One patch: of the files, or of their views where these hold compressed streams. Views that whoever applies has no
// room for, unless told to, are given up.
class PatchMaking {
 public:
  PatchMaking(RandomReader& source, RandomReader& target, const CreateOptions& options, Timeline& timeline, Watch& watch)
      : source_(source), target_(target), options_(options), timeline_(timeline), watch_(watch) {}

  Status make() {
    BDELTA_TRY(open_views());
    if (views_) {
      run_.emplace(views_->source_view(), views_->target_view(), options_, timeline_, watch_, views_.get());
      BDELTA_TRY(make_patch(*run_));
      if (run_->decoder_memory_bytes() <= ApplyOptions().memory_limit_bytes) return {};
      run_.reset();
      views_.reset();
    }
    run_.emplace(source_, target_, options_, timeline_, watch_);
    return make_patch(*run_);
  }

  [[nodiscard]] CreateRun& run() noexcept { return *run_; }

 private:
  Status open_views() {
    if (options_.unpack == Unpack::kNone || options_.format == PatchFormat::kBdt1) return {};
    if (std::max(source_.size(), target_.size()) >= kMaxFileBytes) return {};  // the run says so
    BDELTA_ASSIGN(const bool may_be_archive, view::may_be_archive(target_));
    if (!may_be_archive) return {};
    watch_.set_phase(PhaseId::kUnpack);
    watch_.set_total(target_.size());
    WorkerPool pool(thread_count_for(options_.threads), &timeline_, &watch_);
    const Span span(&timeline_, PhaseId::kUnpack, TraceSpan::kNone, target_.size());
    BDELTA_ASSIGN(views_, FileViews::make(source_, target_, options_, pool));
    return {};
  }

  RandomReader& source_;
  RandomReader& target_;
  const CreateOptions& options_;
  Timeline& timeline_;
  Watch& watch_;
  std::unique_ptr<FileViews> views_;  // null where files are taken as they are; outlives the run
  std::optional<CreateRun> run_;
};

Result<Report> create_streams(RandomReader& source, RandomReader& target, SequentialWriter& patch,
                              const CreateOptions& options) {
  Timeline timeline(options.trace);
  Watch watch(options.progress, 0, options.time_limit_seconds);
  PatchMaking making(source, target, options, timeline, watch);
  BDELTA_TRY(making.make());
  BDELTA_TRY(source.check_unchanged());
  BDELTA_TRY(target.check_unchanged());
  BDELTA_TRY(making.run().write(patch));
  return making.run().take_report();
}

Status check_other_file(const std::filesystem::path& patch, const std::filesystem::path& input) {
  if (patch == "-" || input == "-" || !same_file(input, patch)) return {};
  return io::file_error(ErrorCode::kSamePath, patch, "PATCH and an input");
}

// What went wrong in the work, with the file it concerns. Errors of the io room name theirs already.
Error name_file(Error error, const std::filesystem::path& larger, const std::filesystem::path& patch) {
  switch (error.code) {
    case ErrorCode::kFileTooLarge: return io::with_file(std::move(error), larger);
    case ErrorCode::kPatchTooLarge:
    case ErrorCode::kSelfCheckFailed: return io::with_file(std::move(error), patch);
    default: return error;
  }
}

// What a call over files has besides its run.
struct FileCall {
  FileCall(std::filesystem::path source_path, std::filesystem::path target_path, std::filesystem::path patch_path,
           const CreateOptions& of)
      : source(std::move(source_path)), target(std::move(target_path)), patch(std::move(patch_path)), options(of),
        timeline(of.trace), watch(of.progress, 0, of.time_limit_seconds) {}

  // As they are shown to people.
  const std::filesystem::path source, target, patch;

  const CreateOptions& options;
  io::IoCounters counters;
  Timeline timeline;
  Watch watch;
};

Result<Report> create_into(OutputFile& patch, RandomReader& source, RandomReader& target, FileCall& call) {
  PatchMaking making(source, target, call.options, call.timeline, call.watch);
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

// PATCH is opened before the work, so that a refusal comes at once.
Result<Report> create_paths(const std::filesystem::path& source_path, const std::filesystem::path& target_path,
                            const std::filesystem::path& patch_path, const CreateOptions& options) {
  BDELTA_TRY(check_other_file(patch_path, source_path));
  BDELTA_TRY(check_other_file(patch_path, target_path));
  FileCall call(source_path, target_path, patch_path, options);
  BDELTA_ASSIGN(InputFile source, InputFile::open(source_path, options.files, &call.counters));
  BDELTA_ASSIGN(InputFile target, InputFile::open(target_path, options.files, &call.counters));
  if (source.shares_stream(target)) {
    return io::file_error(ErrorCode::kSamePath, io::input_name(target_path), "OLD and NEW, and it can be read only once",
                          "give one of them as a file");
  }
  BDELTA_ASSIGN(const auto patch, io::open_output(patch_path, options.files, &call.counters));
  BDELTA_TRY(source.put_aside(options, call.timeline, call.watch));
  BDELTA_TRY(target.put_aside(options, call.timeline, call.watch));
  return create_into(*patch, source.reader(), target.reader(), call);
}

Result<Report> create_to_open(const std::filesystem::path& source_path, RandomReader& target,
                              const std::filesystem::path& patch_path, const CreateOptions& options) {
  BDELTA_TRY(check_other_file(patch_path, source_path));
  FileCall call(source_path, "NEW", patch_path, options);
  BDELTA_ASSIGN(InputFile source, InputFile::open(source_path, options.files, &call.counters));
  BDELTA_ASSIGN(const auto patch, io::open_output(patch_path, options.files, &call.counters));
  BDELTA_TRY(source.put_aside(options, call.timeline, call.watch));
  return create_into(*patch, source.reader(), target, call);
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
