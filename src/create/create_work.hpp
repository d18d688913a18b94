// What all steps of making a patch work with: memory, threads, and how far they are.
#pragma once

#include <optional>

#include "create/budget.hpp"
#include "create/create_task.hpp"
#include "create/work_estimate.hpp"

namespace bdelta {

class CreateWork {
 public:
  // Refuses what the format, the limits or the machine can't hold, and divides the memory.
  static Status check_limits(const CreateTask& task);
  [[nodiscard]] static BudgetRequest request_of(const CreateTask& task);

  CreateWork(const CreateTask& task, Budget budget) : task_(task) { set_budget(std::move(budget)); }
  CreateWork(const CreateWork&) = delete;
  CreateWork& operator=(const CreateWork&) = delete;

  // Threads and the estimate are those of the budget. Nobody else may hold any of them yet.
  void set_budget(Budget budget);

  [[nodiscard]] const Budget& budget() const noexcept { return budget_; }
  [[nodiscard]] const LevelSettings& settings() const noexcept { return budget_.settings; }
  [[nodiscard]] WorkerPool& pool() noexcept { return *pool_; }
  [[nodiscard]] WorkEstimate& estimate() noexcept { return *estimate_; }
  [[nodiscard]] Watch& watch() noexcept { return task_.watch; }

  // Whether both files are at hand as a whole, in one segment, for a patch that may say more of them than copies.
  [[nodiscard]] bool sees_whole_files() const noexcept { return budget_.ample && task_.is_native(); }

  // Stages from now on are those of this step, or of these. Progress keeps what steps before it have come to.
  void begin_step(WorkStep first, WorkStep last) { watch().begin_part(estimate_->share(first, last)); }
  void begin_step(WorkStep step) { begin_step(step, step); }

 private:
  const CreateTask& task_;
  Budget budget_;
  std::optional<WorkerPool> pool_;
  std::optional<WorkEstimate> estimate_;
};

}  // namespace bdelta
