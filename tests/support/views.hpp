// What a patch says of the views of its files.
#pragma once

#include "format/native/view_record.hpp"
#include "io/memory_io.hpp"
#include "support/craft.hpp"

namespace bdelta::test {

// Of the record, which has to be the first; a test fails without.
[[nodiscard]] inline view::ViewPlans view_plans_of(ByteSpan patch) {
  const SplitPatch split = split_patch(patch);
  const std::vector<CraftedRecord> records = records_of(split.body);
  for (const CraftedRecord& record : records) {
    if (record.tag != native::RecordTag::kView) continue;
    io::MemorySequentialReader bytes(record.body);
    io::TypedReader body(bytes);
    auto plans = native::read_view(body, split.header);
    EXPECT_OK(plans);
    return plans ? std::move(*plans) : view::ViewPlans(1);
  }
  ADD_FAILURE() << "there is no record of views";
  return view::ViewPlans(1);
}

// Of the view of the files.
[[nodiscard]] inline view::ViewPlan view_plan_of(ByteSpan patch) { return view_plans_of(patch).front(); }

}  // namespace bdelta::test
