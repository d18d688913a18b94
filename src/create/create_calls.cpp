// What callers ask for: a patch between files, or what stands for them.
#include "bdelta/create.hpp"

#include "base/guard.hpp"
#include "base/try.hpp"
#include "bdelta/apply.hpp"
#include "create/file_call.hpp"
#include "create/input_file.hpp"
#include "io/file_error.hpp"
#include "io/open.hpp"

namespace bdelta {
namespace {

Result<Report> create_streams(RandomReader& source, RandomReader& target, SequentialWriter& patch,
                              const CreateOptions& options) {
  Timeline timeline(options.trace);
  Watch watch(options.progress, 0, options.time_limit_seconds);
  const CreateTask files{source, target, options, timeline, watch};
  BDELTA_ASSIGN(Patch made, make_patch(files));
  BDELTA_TRY(source.check_unchanged());
  BDELTA_TRY(target.check_unchanged());
  BDELTA_TRY(write_patch(files, made, patch));
  return take_report(files, made);
}

Status check_other_file(const std::filesystem::path& patch, const std::filesystem::path& input) {
  if (patch == "-" || input == "-" || !same_file(input, patch)) return {};
  return io::file_error(ErrorCode::kSamePath, patch, "PATCH and an input");
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
