// What a push is about where it is a directory: the parts that come are staged, and the last step swaps.
#pragma once

#include "apply/push_run.hpp"
#include "apply/tree_destination.hpp"

namespace bdelta {

class TreeSubject final : public PushSubject {
 public:
  // `part` and `options` must outlive the object.
  TreeSubject(std::unique_ptr<TreeDestination> destination, std::filesystem::path source, std::filesystem::path target,
              SequentialReader& part, const ApplyOptions& options)
      : destination_(std::move(destination)), source_(std::move(source)), target_(std::move(target)),
        tree_(part, source_, options) {}

  [[nodiscard]] ApplyRun& run() noexcept override { return tree_.run(); }
  Status take_header() override { return {}; }

  // What the patch says of its trees: then OLD is proven.
  Result<bool> take_front() override;

  [[nodiscard]] bool is_up_to_date() const noexcept override { return is_up_to_date_; }
  Status begin() override;
  Result<Report> finish() override;

 private:
  const std::unique_ptr<TreeDestination> destination_;
  const std::filesystem::path source_;
  const std::filesystem::path target_;
  TreeRun tree_;
  bool has_front_ = false;
  bool is_up_to_date_ = false;
};

}  // namespace bdelta
