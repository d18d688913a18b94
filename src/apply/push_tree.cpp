#include "apply/push_tree.hpp"

#include "base/try.hpp"

namespace bdelta {

Result<bool> TreeSubject::take_front() {
  if (has_front_) return false;
  has_front_ = true;
  BDELTA_TRY(tree_.read_tree());
  BDELTA_TRY(tree_.open_source());
  Status verified = tree_.verify_source();
  is_up_to_date_ = !verified && destination_->is_source() && tree_.source_is_target();
  if (verified || is_up_to_date_) return true;
  return name_place(std::move(verified).error(), source_, {});
}

Status TreeSubject::begin() {
  BDELTA_TRY(tree_.run().prepare());
  BDELTA_TRY(destination_->begin(tree_));
  tree_.run().begin_target(tree_.begin_target(destination_->output()));
  return {};
}

Result<Report> TreeSubject::finish() {
  if (is_up_to_date_) {
    BDELTA_TRY(tree_.keep_state(target_));
    return tree_.up_to_date_report();
  }
  BDELTA_TRY(tree_.check_unchanged());
  Report report = tree_.run().take_report();  // before NEW appears, because for want of memory it can fail
  BDELTA_TRY(destination_->finish(tree_));
  tree_.run().update_times(report);
  return report;
}

}  // namespace bdelta
