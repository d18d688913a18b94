#include "create/program_plan.hpp"

#include <algorithm>

#include "apply/predicted_copies.hpp"
#include "base/deciding/prediction.hpp"
#include "exe/image_extents.hpp"
#include "exe/image_table.hpp"
#include "exe/page_breaks.hpp"
#include "exe/rebuild_memory.hpp"

namespace bdelta {
namespace {

// Fields of tables take more until they are in order than later.
std::uint64_t table_bytes_in_apply(const exe::Program& program) {
  return program.table_memory_bytes() + program.table_memory_bytes() / 2;
}

}  // namespace

bool tables_fit_in_apply(const exe::Program& old_program) { return table_bytes_in_apply(old_program) <= kMostTableBytes; }

// Who applies keeps the fields of code if that takes little beside OLD, else finds them again, block by block.
std::uint64_t field_bytes_in_apply(const exe::Program& old_program) {
  const std::uint64_t table_bytes = table_bytes_in_apply(old_program);
  const std::uint64_t code_bytes = old_program.memory_bytes() - old_program.table_memory_bytes();
  const bool fits = code_bytes <= std::max<std::uint64_t>(kSmallCodeBytes, old_program.file().size() / kKeptCodeShare) &&
                    table_bytes + code_bytes <= kMostFieldBytes;
  return table_bytes + (fits ? code_bytes : exe::Program::cache_memory_bytes());
}

std::size_t most_covers_in_apply(const exe::Program& old_program, const TablePass& tables, std::uint64_t field_bytes) {
  const std::uint64_t table_bytes =
      exe::rebuild_memory_bytes(old_program.images().all, tables.source_tables(), tables.kinds());
  const std::uint64_t other_bytes = field_bytes + table_bytes + kLabelBytes;
  if (other_bytes > kMostApplyBytes / 4 * kBoundedQuarters) return ~std::size_t{0};
  return static_cast<std::size_t>((kMostApplyBytes - other_bytes) / (kBytesPerCover + kBytesPerStretch));
}

std::uint64_t complete_plan(const PlanInputs& in, PredictionPlan& plan) {
  exe::append_labels(plan.labels, in.labels);
  exe::append_image_extents(plan.images, in.old_program.images().all);
  if (has_tables(plan.kinds, exe::SortedTableKind::kMixedUnwindPages)) {
    exe::append_page_breaks(plan.images, in.tables.target_breaks());
  }
  exe::append_image_table(plan.images, in.old_program.images(), in.new_images);
  const std::size_t image_count = in.old_program.images().all.size() + in.new_images.all.size();
  return in.field_bytes + plan.labels.size() + in.labels.size() * kBytesPerLabel + plan.images.size() +
         image_count * kBytesPerImage +
         exe::rebuild_memory_bytes(in.old_program.images().all, in.tables.source_tables(), plan.kinds) +
         plan.covers.size() * kBytesPerCover + in.stretch_count * kBytesPerStretch;
}

}  // namespace bdelta
