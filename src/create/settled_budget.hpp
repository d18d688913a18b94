// Memory for files that hardly differ, which need less of it than others of their size.
#pragma once

#include "create/create_inputs.hpp"

namespace bdelta {

// For a limit that is below what any files of such sizes may take, and would do for two that are the same. There a fast
// search tells how much differs. A budget for that takes the place of the one at hand, if the limit allows it. Else the work
// that there is no room for. Of inputs that were loaded.
[[nodiscard]] std::vector<LeftOut> settle_budget(const CreateTask& task, const CreateInputs& inputs, CreateWork& work);

}  // namespace bdelta
