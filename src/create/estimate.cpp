#include "bdelta/create.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "create/budget.hpp"
#include "create/level.hpp"

namespace bdelta {

Result<std::uint64_t> estimate_memory(std::uint64_t source_size, std::uint64_t target_size,
                                      const CreateOptions& options) {
  BDELTA_TRY(check_level(options.level));
  BudgetRequest request;
  request.level = options.level;
  request.limit_bytes = options.memory_limit_bytes;
  request.threads = thread_count_for(options.threads);
  request.verify = options.verify;
  // No file is larger, and what follows adds some of these up.
  constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 60;
  request.source_size = std::min(source_size, kLargestFile);
  request.target_size = std::min(target_size, kLargestFile);
  request.source_view = request.target_view = options.files.mode == IoMode::kMmap;
  auto budget = make_budget(request);
  if (!budget) return std::move(budget).error();
  // Files that hardly differ may take all of a limit, for a smaller patch.
  const bool may_take_all = !budget->ample && ample_budget(request, Likeness());
  return may_take_all ? request.limit_bytes : budget->needed_bytes;
}

}  // namespace bdelta
