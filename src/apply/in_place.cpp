// The calls of bdelta/in_place.hpp.
#include "bdelta/in_place.hpp"

#include <cerrno>
#include <chrono>

#include "apply/in_place_run.hpp"
#include "base/guard.hpp"
#include "base/try.hpp"
#include "io/file_error.hpp"
#include "io/retry_interrupted.hpp"

namespace bdelta {
namespace {

Result<io::OutputPlace> find_journal_place(const io::OutputPlace& file, const InPlaceOptions& options) {
  return io::find_output_place(options.journal.value_or(journal_beside(file)));
}

Result<bool> is_in_memory(const std::filesystem::path& directory) {
  bool in_memory = false;
  if (io::retry_interrupted([&] { return io::file_ops().is_in_memory(directory.c_str(), in_memory); }) == 0) return in_memory;
  return io::file_error(errno, ErrorCode::kOpenFailed, directory, "asking what keeps it");
}

// A journal has to outlive what the file does not.
Status check_journal_place(const io::OutputPlace& journal, const InPlaceFile& file, const InPlaceOptions& options) {
  const auto refused = [&](const char* why) {
    return Status(io::file_error(ErrorCode::kUsage, journal.name, std::string("the journal ") + why,
                                 "name a file on a disk as the journal"));
  };
  if (file.is_device() && !options.journal) return refused("of a device can't stand beside it");
  io::FileInfo directory;
  if (io::retry_interrupted([&] { return io::file_ops().path_info(journal.directory.c_str(), directory); }) != 0) {
    return io::file_error(errno, ErrorCode::kOpenFailed, journal.directory, "for the journal");
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
    BDELTA_ASSIGN(const bool again, run.settle(completed, nullptr));
    settled = !again;
  }
  BDELTA_ASSIGN(OpenedPatch patch, OpenedPatch::open(patch_path, options, nullptr));
  InPlaceRun run(opened->file, opened->journal, options, in_place);
  return run.apply(patch, patch_path);
}

Result<Report> resume_in_place_paths(const std::filesystem::path& path, const ApplyOptions& options, InPlaceOptions in_place) {
  in_place.dry_run = false;
  const auto begin = std::chrono::steady_clock::now();
  Watch watch(options.progress, 0, options.time_limit_seconds);
  BDELTA_ASSIGN(const Opened opened, open_in_place(path, in_place));
  Report report;
  report.source_bytes = report.target_bytes = opened.file.bytes();
  InPlaceRun run(opened.file, opened.journal, options, in_place);
  BDELTA_ASSIGN(const bool completed, run.settle(report, &watch));
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
