#include "create/create_work.hpp"

#include <algorithm>
#include <string>

#include "base/try.hpp"
#include "format/bdt1/writer.hpp"

namespace bdelta {

Status CreateWork::check_limits(const CreateTask& task) {
  const CreateOptions& options = task.options;
  const std::uint64_t source_size = task.source.size(), target_size = task.target.size();
  BDELTA_TRY(check_level(options.level));
  if (!(options.max_patch_ratio >= 0) || !(options.time_limit_seconds >= 0) || !(options.max_apply_seconds >= 0)) {
    return Error{ErrorCode::kUsage, "expected limits of ratio and time that are not negative"};
  }
  task.watch.begin_stage(0, 0);
  const std::uint64_t larger = std::max(source_size, target_size);
  if (larger >= kMaxFileBytes) {
    return Error{ErrorCode::kFileTooLarge, std::to_string(larger) + " bytes, it has to be below 1 TiB"};
  }
  if (task.is_native()) return {};
  if (options.group_digests) {
    return Error{.code = ErrorCode::kFormatCannotHold,
                 .detail = "BDT version 1 has no place for a list of digests",
                 .remedy = "use PatchFormat::kBdt2, or leave group_digests out"};
  }
  return bdt1::check_sizes(source_size, target_size);
}

BudgetRequest CreateWork::request_of(const CreateTask& task) {
  BudgetRequest request;
  request.level = task.options.level;
  request.limit_bytes = task.options.memory_limit_bytes;
  if (task.views && request.limit_bytes != 0) {
    request.limit_bytes -= std::min(request.limit_bytes - 1, task.views->held_bytes());
  }
  if (task.trees) request.held_bytes = task.trees->held_bytes();
  request.threads = thread_count_for(task.options.threads);
  request.verify = task.options.verify;
  request.models = task.uses_models;
  request.source_size = task.source.size();
  request.target_size = task.target.size();
  request.source_view = !task.source.view().empty();
  request.target_view = !task.target.view().empty();
  return request;
}

void CreateWork::set_budget(Budget budget) {
  budget_ = std::move(budget);
  pool_.emplace(budget_.threads, &task_.timeline, &task_.watch);
  estimate_.emplace(task_.options.level, budget_.settings, WorkEstimate::Files{task_.source.size(), task_.target.size()},
                    task_.options.verify);
  estimate_->set_surveys(budget_.ample);
}

}  // namespace bdelta
