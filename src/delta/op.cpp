#include "delta/op.hpp"

#include <string>

#include "base/checked.hpp"

namespace bdelta {
namespace {

Error corrupt(const WindowDelta& window, const char* what) {
  return {ErrorCode::kPatchCorrupt,
          "the window at target byte " + std::to_string(window.target_pos) + " " + what};
}

}  // namespace

Status validate_window(const WindowDelta& window, std::uint64_t source_size) {
  std::uint64_t literal_bytes = 0;
  std::uint64_t copied_bytes = 0;
  for (const DeltaOp& op : window.ops) {
    std::uint64_t& sum = op.kind == OpKind::kCopy ? copied_bytes : literal_bytes;
    if (op.length == 0) return corrupt(window, "has an empty op");
    if (!checked_add(sum, op.length, sum)) return corrupt(window, "has ops that add up beyond 64 bits");
    if (op.kind == OpKind::kCopy && !range_fits(op.source_pos, op.length, source_size)) {
      return Error{ErrorCode::kOpOutOfRange, "the window at target byte " + std::to_string(window.target_pos) +
                                                 " copies " + std::to_string(op.length) + " bytes from byte " +
                                                 std::to_string(op.source_pos) + " of OLD, which has " +
                                                 std::to_string(source_size)};
    }
  }
  std::uint64_t total = 0;
  if (!checked_add(literal_bytes, copied_bytes, total) || total != window.target_length) {
    return corrupt(window, "has ops that do not add up to its size");
  }
  if ((window.codes_literals() ? 0 : literal_bytes) != window.literals.size()) {
    return corrupt(window, "has another number of literals than its ops use");
  }

  std::uint64_t residual_end = 0;
  std::uint64_t value_count = 0;
  for (const ResidualRun& run : window.residual_runs) {
    if (run.length == 0) return corrupt(window, "has an empty residual run");
    residual_end += std::uint64_t{run.gap} + run.length;  // at most 2^32 runs of 2^33: no overflow
    value_count += run.length;
  }
  if (residual_end > copied_bytes) return corrupt(window, "has residual bytes outside its copies");
  if (value_count != window.residual_values.size()) return corrupt(window, "has another number of residual values than its runs use");
  return {};
}

}  // namespace bdelta
