// The plan of a patch that is there as a whole.
#pragma once

#include "base/try.hpp"
#include "format/patch_reader.hpp"

namespace bdelta::test {

// Lives as long as the reader.
inline Result<const ApplyPlan*> read_whole_plan(PatchReader& reader) {
  const ApplyPlan* plan = nullptr;
  while (!plan) {
    BDELTA_ASSIGN(plan, reader.read_plan());
  }
  return plan;
}

}  // namespace bdelta::test
