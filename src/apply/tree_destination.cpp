#include "apply/tree_destination.hpp"

#include "apply/source_proof.hpp"
#include "apply/tree_places.hpp"
#include "base/try.hpp"
#include "io/file_error.hpp"

namespace bdelta {

Result<std::unique_ptr<TreeDestination>> TreeDestination::open(const std::filesystem::path& source,
                                                               const std::filesystem::path& target, const ApplyOptions& options) {
  std::unique_ptr<TreeDestination> made(new TreeDestination(target, options));
  if (options.state_file) BDELTA_TRY(check_apart(*options.state_file, "the state", target, "NEW"));
  if (is_same_place(source, target)) {
    // What was interrupted comes first, whatever this patch is.
    BDELTA_ASSIGN(made->area_, UpdateArea::open(target, options.files.sync));
    BDELTA_ASSIGN(const Resumed ignored, made->area_->resume(nullptr));
    static_cast<void>(ignored);
    return made;
  }
  BDELTA_TRY(check_apart(source, "OLD", target, "NEW"));
  BDELTA_TRY(check_whole(source));
  BDELTA_TRY(check_whole(target));
  return made;
}

Status TreeDestination::check_free() const {
  std::error_code ignored;
  if (area_ || !std::filesystem::exists(std::filesystem::symlink_status(target_, ignored))) return {};
  return io::file_error(ErrorCode::kOutputExists, target_, "it is left as it is", "name a directory that does not exist yet");
}

Status TreeDestination::begin(TreeRun& tree) {
  if (area_) {
    update_.emplace(*area_, tree.source(), options_);
    return {};
  }
  BDELTA_ASSIGN(staged_, StagedTree::create(target_, options_.files, tree.source()));
  return {};
}

TreeOutput* TreeDestination::output() noexcept {
  if (update_) return &*update_;
  return staged_.get();
}

Status TreeDestination::finish(TreeRun& tree) {
  const Span span(tree.run().timeline(), PhaseId::kFinish);
  if (update_) {
    BDELTA_TRY(update_->finish());
    if (!options_.keep_state && !options_.state_file) forget_state(area_->directory());
  } else {
    BDELTA_TRY(staged_->complete());
    BDELTA_TRY(staged_->finish());
  }
  return tree.keep_state(target_);
}

Error name_place(Error error, const std::filesystem::path& source, const std::filesystem::path& patch) {
  if (exit_class(error.code) == 2) return io::with_file(std::move(error), source);
  return name_file(std::move(error), source, patch);
}

}  // namespace bdelta
