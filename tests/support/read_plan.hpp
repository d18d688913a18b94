// A patch that is there as a whole, opened, and its plan.
#pragma once

#include "base/memory_limit.hpp"
#include "base/try.hpp"
#include "format/format.hpp"

namespace bdelta::test {

inline Result<std::unique_ptr<PatchReader>> open_patch(io::TypedReader& patch, std::uint64_t memory_limit_bytes) {
  BDELTA_ASSIGN(const Format* const format, recognise_format(patch, known_formats()));
  return format->open(patch, reachable_limit(memory_limit_bytes));
}

// Lives as long as the reader.
inline Result<const ApplyPlan*> read_whole_plan(PatchReader& reader) {
  const ApplyPlan* plan = nullptr;
  while (!plan) {
    BDELTA_ASSIGN(plan, reader.read_plan());
  }
  return plan;
}

}  // namespace bdelta::test
