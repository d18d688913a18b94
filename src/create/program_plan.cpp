#include "create/program_plan.hpp"

#include <algorithm>

#include "apply/predicted_copies.hpp"
#include "exe/image_choice.hpp"
#include "exe/image_table.hpp"
#include "exe/page_breaks.hpp"
#include "exe/rebuild_memory.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kSmallCodeBytes = std::uint64_t{16} << 20;  // of the fields of code
// Of what the fields of OLD take in bpatch, beside covers, labels and coders: its usual limit is 256 MiB.
constexpr std::uint64_t kMostTableBytes = std::uint64_t{160} << 20;  // of tables alone
constexpr std::uint64_t kMostFieldBytes = std::uint64_t{128} << 20;  // of tables and code, if all code is decoded at once
// Of prediction in all: bpatch has room for coders then.
constexpr std::uint64_t kMostApplyBytes = std::uint64_t{192} << 20;
constexpr std::uint64_t kLabelBytes = std::uint64_t{8} << 20;  // for labels and images, while neither are known
// What is much for prediction: a quarter of OLD, which leaves another one to all else, but no less than the one and no more
// than the other.
constexpr std::uint64_t kLeastMuchBytes = std::uint64_t{256} << 10;
constexpr std::uint64_t kMostMuchBytes = std::uint64_t{128} << 20;

// Fields of tables take more until they are in order than later.
std::uint64_t table_bytes_in_apply(const exe::Program& program) {
  return program.table_memory_bytes() + program.table_memory_bytes() / 2;
}

// Of covers and of tables that are rebuilt, as a patch with this predictor counts it.
std::uint64_t bytes_by(exe::PredictorId predictor, const PlanInputs& in, const PredictionPlan& plan) {
  const std::vector<exe::Image>& images = in.old_program.images().all;
  return exe::rebuild_memory_bytes(images, in.tables.source_tables(), plan.kinds, predictor) +
         plan.covers.size() * bytes_per_cover(predictor) + in.stretch_count * bytes_per_stretch(predictor);
}

exe::PredictorId final_predictor(const PlanInputs& in, const PredictionPlan& plan, std::uint64_t other_bytes) {
  auto predictor = static_cast<exe::PredictorId>(plan.predictor);
  if (has_tables(plan.kinds, exe::SortedTableKind::kMixedUnwindPages)) predictor = std::max(predictor, exe::PredictorId::k8);
  const std::uint64_t much_bytes =
      std::clamp<std::uint64_t>(in.old_program.file().size() / 4, kLeastMuchBytes, kMostMuchBytes);
  const std::uint64_t bytes = bytes_by(predictor, in, plan);
  const bool is_less_by_9 = bytes_by(exe::PredictorId::k9, in, plan) < bytes;
  return is_less_by_9 && other_bytes + bytes > much_bytes ? exe::PredictorId::k9 : predictor;
}

}  // namespace

exe::PredictorId predictor_for(const ImagePair& images) {
  const auto is_macho = [](const exe::Image& image) { return image.format == exe::ImageFormat::kMachO; };
  if (std::any_of(images.source.begin(), images.source.end(), is_macho) &&
      std::any_of(images.target.begin(), images.target.end(), is_macho)) {
    return exe::PredictorId::k7;
  }
  return images.is_whole ? exe::PredictorId::k5 : exe::PredictorId::k6;
}

bool tables_fit_in_apply(const exe::Program& old_program) { return table_bytes_in_apply(old_program) <= kMostTableBytes; }

// Who applies keeps the fields of code if that takes little beside OLD, else finds them again, block by block.
std::uint64_t field_bytes_in_apply(const exe::Program& old_program) {
  const std::uint64_t table_bytes = table_bytes_in_apply(old_program);
  const std::uint64_t code_bytes = old_program.memory_bytes() - old_program.table_memory_bytes();
  const bool fits = code_bytes <= std::max<std::uint64_t>(kSmallCodeBytes, old_program.file().size() / 4) &&
                    table_bytes + code_bytes <= kMostFieldBytes;
  return table_bytes + (fits ? code_bytes : exe::Program::cache_memory_bytes());
}

std::size_t most_covers_in_apply(const exe::Program& old_program, const TablePass& tables, std::uint64_t field_bytes) {
  const std::uint64_t table_bytes = exe::rebuild_memory_bytes(old_program.images().all, tables.source_tables(),
                                                              tables.kinds(), exe::PredictorId::k9);
  const std::uint64_t other_bytes = field_bytes + table_bytes + kLabelBytes;
  if (other_bytes > kMostApplyBytes / 4 * 3) return ~std::size_t{0};
  constexpr std::uint64_t kBytesPerCover =
      bytes_per_cover(exe::PredictorId::k9) + bytes_per_stretch(exe::PredictorId::k9);
  return static_cast<std::size_t>((kMostApplyBytes - other_bytes) / kBytesPerCover);
}

std::uint64_t complete_plan(const PlanInputs& in, PredictionPlan& plan) {
  exe::append_labels(plan.labels, in.labels);
  const std::uint64_t other_bytes = in.field_bytes + plan.labels.size() + in.labels.size() * kBytesPerLabel;
  const exe::PredictorId predictor = final_predictor(in, plan, other_bytes);
  plan.predictor = static_cast<std::uint64_t>(predictor);
  if (predictor >= exe::PredictorId::k6) exe::append_image_choice(plan.images, in.source_numbers);
  if (has_tables(plan.kinds, exe::SortedTableKind::kMixedUnwindPages)) {
    exe::append_page_breaks(plan.images, in.tables.target_breaks());
  }
  exe::append_image_table(plan.images, in.old_program.images(), in.new_images);
  return other_bytes + plan.images.size() + bytes_by(predictor, in, plan);
}

}  // namespace bdelta
