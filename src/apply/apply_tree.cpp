// The way of the data when a patch is applied to a directory, as flat lists of steps.
#include "apply/opened_patch.hpp"
#include "apply/tree_destination.hpp"
#include "apply/tree_places.hpp"
#include "base/guard.hpp"
#include "base/try.hpp"
#include "bdelta/tree.hpp"

namespace bdelta {
namespace {

Result<Report> apply_tree_paths(const std::filesystem::path& source_path, const std::filesystem::path& target_path,
                                const std::filesystem::path& patch_path, const ApplyOptions& options) {
  BDELTA_TRY(check_tree_options(options));
  BDELTA_TRY(check_apart(patch_path, "PATCH", target_path, "NEW"));
  BDELTA_ASSIGN(const auto destination, TreeDestination::open(source_path, target_path, options));
  io::IoCounters counters;
  BDELTA_ASSIGN(OpenedPatch patch, OpenedPatch::open(patch_path, options, &counters));
  TreeRun tree(patch.reader(), source_path, options);
  patch.set_watch(tree.run().watch());
  const auto named = [&](Status status) {
    return status ? status : Status(name_place(std::move(status).error(), source_path, patch_path));
  };

  // What the patch is, and whether there is anything to do.
  BDELTA_TRY(named(tree.read_head()));
  if (Status is_free = destination->check_free(); !is_free) {
    if (tree.is_up_to_date(target_path)) return tree.up_to_date_report();
    return is_free.error();
  }

  // OLD is proven before anything of NEW is made.
  BDELTA_TRY(tree.open_source());
  if (Status verified = tree.verify_source(); !verified) {
    if (!destination->is_source() || !tree.source_is_target()) return named(std::move(verified)).error();
    BDELTA_TRY(tree.keep_state(target_path));
    return tree.up_to_date_report();
  }
  BDELTA_TRY(destination->begin(tree));
  BDELTA_TRY(named(tree.write_target(destination->output())));
  BDELTA_TRY(patch.check_unchanged());
  Report report = tree.run().take_report();  // before NEW appears, because for want of memory it can fail
  BDELTA_TRY(destination->finish(tree));
  tree.run().update_times(report);
  return report;
}

Result<Report> check_tree_paths(const std::filesystem::path& source_path, const std::filesystem::path& patch_path,
                                const ApplyOptions& options, ApplyTap* tap = nullptr) {
  BDELTA_TRY(check_tree_options(options));
  BDELTA_TRY(check_whole(source_path));
  io::IoCounters counters;
  BDELTA_ASSIGN(OpenedPatch patch, OpenedPatch::open(patch_path, options, &counters));
  TreeRun tree(patch.reader(), source_path, options, tap);
  patch.set_watch(tree.run().watch());
  const auto steps = [&]() -> Status {
    BDELTA_TRY(tree.read_head());
    BDELTA_TRY(tree.open_source());
    BDELTA_TRY(tree.verify_source());
    BDELTA_TRY(tree.write_target(nullptr));
    return patch.check_unchanged();
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
