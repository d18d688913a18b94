// Where a directory is made: beside its place, or in OLD's own.
#pragma once

#include <memory>
#include <optional>

#include "apply/staged_tree.hpp"
#include "apply/staged_update.hpp"
#include "apply/tree_run.hpp"
#include "apply/update_area.hpp"

namespace bdelta {

class TreeDestination {
 public:
  // Checks where source and target are to each other. OLD's own directory is locked for as long as the object lives, and whatever
  // an interrupted update left in it is completed first. Errors: those of check_apart and of UpdateArea, kUnfinished.
  static Result<std::unique_ptr<TreeDestination>> open(const std::filesystem::path& source, const std::filesystem::path& target,
                                                       const ApplyOptions& options);

  // It is OLD's own directory.
  [[nodiscard]] bool is_source() const noexcept { return area_ != nullptr; }

  // kOutputExists if something is there that is not OLD.
  [[nodiscard]] Status check_free() const;

  // OLD was proven. What is made goes to `output` from then on; whatever is not finished is removed when the object dies.
  Status begin(TreeRun& tree);
  [[nodiscard]] TreeOutput* output() noexcept;

  // NEW was proven, and comes into being.
  Status finish(TreeRun& tree);

 private:
  TreeDestination(std::filesystem::path target, const ApplyOptions& options) : target_(std::move(target)), options_(options) {}

  const std::filesystem::path target_;
  const ApplyOptions options_;
  std::unique_ptr<UpdateArea> area_;      // null beside OLD
  std::optional<StagedUpdate> update_;    // in it
  std::unique_ptr<StagedTree> staged_;
};

// What went wrong, with OLD or the patch, whichever it concerns; `patch` may be empty. Errors of the io room name theirs already.
[[nodiscard]] Error name_place(Error error, const std::filesystem::path& source, const std::filesystem::path& patch);

}  // namespace bdelta
