// The way of the data when a patch is applied to a directory, as flat lists of steps.
#include "apply/staged_tree.hpp"
#include "apply/staged_update.hpp"
#include "apply/tree_places.hpp"
#include "apply/tree_run.hpp"
#include "apply/update_area.hpp"
#include "base/guard.hpp"
#include "base/try.hpp"
#include "bdelta/tree.hpp"
#include "io/file_error.hpp"

namespace bdelta {
namespace {

Status check_usage(const ApplyOptions& options) {
  if (!options.target_mode) return {};
  return Error{ErrorCode::kUsage, "target_mode is for files; the entries of a directory get the bits that the patch has of them"};
}

// What went wrong, with what it concerns. Errors of the io room name theirs already.
Error name_place(Error error, const std::filesystem::path& source, const std::filesystem::path& patch) {
  switch (exit_class(error.code)) {
    case 2:
    case 4: return io::with_file(std::move(error), source);
    case 3:
    case 5:
    case 6: return error.code == ErrorCode::kOutOfMemory ? error : io::with_file(std::move(error), patch);
    default: return error;
  }
}

// A new directory beside OLD.
Result<Report> apply_beside(TreeRun& tree, const std::filesystem::path& source_path, const std::filesystem::path& target_path,
                            const std::filesystem::path& patch_path, const ApplyOptions& options) {
  const auto named = [&](Status status) {
    return status ? status : Status(name_place(std::move(status).error(), source_path, patch_path));
  };
  std::error_code ignored;
  if (std::filesystem::exists(std::filesystem::symlink_status(target_path, ignored))) {
    if (tree.is_up_to_date(target_path)) return tree.up_to_date_report();
    return io::file_error(ErrorCode::kOutputExists, target_path, "it is left as it is", "name a directory that does not exist yet");
  }
  // OLD is proven before anything of NEW is made.
  BDELTA_TRY(tree.open_source());
  BDELTA_TRY(named(tree.verify_source()));
  BDELTA_ASSIGN(const auto staged, StagedTree::create(target_path, options.files, tree.source()));
  BDELTA_TRY(named(tree.write_target(staged.get())));
  Report report = tree.run().take_report();
  {
    const Span span(tree.run().timeline(), PhaseId::kFinish);
    BDELTA_TRY(staged->complete());
    BDELTA_TRY(staged->finish());
    BDELTA_TRY(tree.keep_state(target_path));
  }
  tree.run().update_times(report);
  return report;
}

// OLD's own directory, whose area is locked and empty.
Result<Report> apply_onto(TreeRun& tree, UpdateArea& area, const std::filesystem::path& path,
                          const std::filesystem::path& patch_path, const ApplyOptions& options) {
  const auto named = [&](Status status) {
    return status ? status : Status(name_place(std::move(status).error(), path, patch_path));
  };
  BDELTA_TRY(tree.open_source());
  if (Status verified = tree.verify_source(); !verified) {
    if (tree.source_is_target()) {
      BDELTA_TRY(tree.keep_state(path));
      return tree.up_to_date_report();
    }
    return named(std::move(verified)).error();
  }
  StagedUpdate update(area, tree.source(), options);
  BDELTA_TRY(named(tree.write_target(&update)));
  Report report = tree.run().take_report();
  {
    const Span span(tree.run().timeline(), PhaseId::kFinish);
    BDELTA_TRY(update.finish());
    if (!options.keep_state && !options.state_file) forget_state(area.directory());
    BDELTA_TRY(tree.keep_state(path));
  }
  tree.run().update_times(report);
  return report;
}

Result<Report> apply_tree_paths(const std::filesystem::path& source_path, const std::filesystem::path& target_path,
                                const std::filesystem::path& patch_path, const ApplyOptions& options) {
  BDELTA_TRY(check_usage(options));
  const bool is_same = is_same_place(source_path, target_path);
  if (!is_same) BDELTA_TRY(check_apart(source_path, "OLD", target_path, "NEW"));
  BDELTA_TRY(check_apart(patch_path, "PATCH", target_path, "NEW"));
  if (options.state_file) BDELTA_TRY(check_apart(*options.state_file, "the state", target_path, "NEW"));
  std::unique_ptr<UpdateArea> area;
  if (is_same) {
    // What was interrupted comes first, whatever this patch is.
    BDELTA_ASSIGN(area, UpdateArea::open(target_path, options.files.sync));
    BDELTA_ASSIGN(const Resumed ignored, area->resume(nullptr));
    static_cast<void>(ignored);
  } else {
    BDELTA_TRY(check_whole(source_path));
    BDELTA_TRY(check_whole(target_path));
  }
  io::IoCounters counters;
  BDELTA_ASSIGN(OpenedPatch patch, OpenedPatch::open(patch_path, options, &counters));
  TreeRun tree(patch, source_path, options);
  if (Status read = tree.read_head(); !read) return name_place(std::move(read).error(), source_path, patch_path);
  if (is_same) return apply_onto(tree, *area, target_path, patch_path, options);
  return apply_beside(tree, source_path, target_path, patch_path, options);
}

Result<Report> check_tree_paths(const std::filesystem::path& source_path, const std::filesystem::path& patch_path,
                                const ApplyOptions& options, ApplyTap* tap = nullptr) {
  BDELTA_TRY(check_usage(options));
  BDELTA_TRY(check_whole(source_path));
  io::IoCounters counters;
  BDELTA_ASSIGN(OpenedPatch patch, OpenedPatch::open(patch_path, options, &counters));
  TreeRun tree(patch, source_path, options, tap);
  const auto steps = [&]() -> Status {
    BDELTA_TRY(tree.read_head());
    BDELTA_TRY(tree.open_source());
    BDELTA_TRY(tree.verify_source());
    return tree.write_target(nullptr);
  };
  Status status = steps();
  if (!status) return name_place(std::move(status).error(), source_path, patch_path);
  Report report = tree.run().take_report();
  report.tree = tree.changes();
  return report;
}

}  // namespace

Result<Report> apply_tree(const std::filesystem::path& source, const std::filesystem::path& target,
                          const std::filesystem::path& patch, const ApplyOptions& options) {
  return guarded([&] { return apply_tree_paths(source, target, patch, options); });
}

Result<Report> check_tree(const std::filesystem::path& source, const std::filesystem::path& patch, const ApplyOptions& options) {
  return guarded([&] { return check_tree_paths(source, patch, options); });
}

Result<Report> check_tree_tapped(const std::filesystem::path& source, const std::filesystem::path& patch,
                                 const ApplyOptions& options, ApplyTap& tap) {
  return check_tree_paths(source, patch, options, &tap);
}

}  // namespace bdelta
