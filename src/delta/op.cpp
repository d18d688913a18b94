#include "delta/op.hpp"

#include "base/checked.hpp"
#include "delta/window_fault.hpp"

namespace bdelta {
namespace {

// Whether the op, which begins at target_pos, takes what is still kept and whole by then, or becomes so while it is made.
bool is_kept(const WindowDelta& window, const DeltaOp& op, std::uint64_t target_pos, bool may_overlap) {
  const std::uint64_t first = window.target_pos - std::min(window.target_pos, window.history_bytes);
  if (op.source_pos < first) return false;
  return may_overlap ? op.source_pos < target_pos : range_fits(op.source_pos, op.length, target_pos);
}

}  // namespace

Status validate_window(const WindowDelta& window, std::uint64_t source_size, const Capabilities& capabilities) {
  std::uint64_t literal_bytes = 0;  // of the target, as is the next
  std::uint64_t copied_bytes = 0;
  std::uint64_t spared_bytes = 0;  // literals that runs do without
  for (const DeltaOp& op : window.ops) {
    if (op.length == 0) return corrupt_window(window, "has an empty op");
    if (op.kind == OpKind::kCopy && !range_fits(op.source_pos, op.length, source_size)) {
      return beyond_source(window, op, source_size);
    }
    if (op.kind == OpKind::kTargetCopy &&
        !is_kept(window, op, window.target_pos + literal_bytes + copied_bytes, capabilities.overlapping_copies)) {
      return beyond_history(window, op);
    }
    if (op.kind == OpKind::kRun) {
      if (!capabilities.runs || window.modelled) return corrupt_window(window, "has a run, which is not known there");
      spared_bytes += op.length - 1;
    }
    std::uint64_t& sum = is_copy(op.kind) ? copied_bytes : literal_bytes;
    if (!checked_add(sum, op.length, sum)) return corrupt_window(window, "has ops that add up beyond 64 bits");
  }
  if (window.modelled && window.reads_target()) return corrupt_window(window, "has copies of NEW beside modelled bytes");
  std::uint64_t total = 0;
  if (!checked_add(literal_bytes, copied_bytes, total) || total != window.target_length) {
    return corrupt_window(window, "has ops that do not add up to its size");
  }
  if ((window.models_literals() ? 0 : literal_bytes - spared_bytes) != window.literals.size()) {
    return corrupt_window(window, "has another number of literals than its ops use");
  }

  std::uint64_t residual_end = 0;
  std::uint64_t value_count = 0;
  for (const ResidualRun& run : window.residual_runs) {
    if (run.length == 0) return corrupt_window(window, "has an empty residual run");
    residual_end += std::uint64_t{run.gap} + run.length;  // at most 2^32 runs of 2^33: no overflow
    value_count += run.length;
  }
  if (residual_end > copied_bytes) return corrupt_window(window, "has residual bytes outside its copies");
  if (value_count != window.residual_values.size()) return corrupt_window(window, "has another number of residual values than its runs use");
  return {};
}

}  // namespace bdelta
