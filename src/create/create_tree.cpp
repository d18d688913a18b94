// Patches from one directory to another.
#include "apply/tree_places.hpp"
#include "apply/update_area.hpp"
#include "base/guard.hpp"
#include "base/try.hpp"
#include "bdelta/tree.hpp"
#include "create/file_call.hpp"
#include "io/file_error.hpp"

namespace bdelta {
namespace {

Status check_format(const CreateOptions& options, const std::filesystem::path& patch) {
  if (options.format == PatchFormat::kBdt2) return {};
  return io::file_error(ErrorCode::kFormatCannotHold, patch, "BDT version 1 holds one file, not a directory",
                        "use PatchFormat::kBdt2");
}

Result<Report> create_paths_of_trees(const std::filesystem::path& source_path, const std::filesystem::path& target_path,
                                     const std::filesystem::path& patch_path, const CreateOptions& options,
                                     const TreeOptions& tree_options) {
  BDELTA_TRY(check_format(options, patch_path));
  BDELTA_TRY(check_apart(source_path, "OLD", target_path, "NEW"));
  BDELTA_TRY(check_apart(source_path, "OLD", patch_path, "PATCH"));
  BDELTA_TRY(check_apart(target_path, "NEW", patch_path, "PATCH"));
  BDELTA_TRY(check_whole(source_path));
  BDELTA_TRY(check_whole(target_path));
  FileCall call(source_path, target_path, patch_path, options);
  BDELTA_ASSIGN(const auto patch, io::open_output(patch_path, options.files, &call.counters));
  std::unique_ptr<TreePair> trees;
  {
    WorkerPool pool(thread_count_for(options.threads), &call.timeline, &call.watch);
    call.watch.begin_part(0.2);  // of the time that all of it takes
    BDELTA_ASSIGN(trees, TreePair::make(source_path, target_path, tree_options, options.memory_limit_bytes == 0, pool));
  }
  call.watch.begin_part(1);
  return create_into(*patch, trees->source_stream(), trees->target_stream(), call, trees.get());
}

}  // namespace

Result<Report> create_tree(const std::filesystem::path& source, const std::filesystem::path& target,
                           const std::filesystem::path& patch, const CreateOptions& options, const TreeOptions& tree_options) {
  return guarded([&] { return create_paths_of_trees(source, target, patch, options, tree_options); });
}

}  // namespace bdelta
