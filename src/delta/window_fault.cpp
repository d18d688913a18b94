#include "delta/window_fault.hpp"

#include <string>

namespace bdelta {
namespace {

std::string name_of(const WindowDelta& window) { return "the window at target byte " + std::to_string(window.target_pos) + ' '; }

Error out_of_range(const WindowDelta& window, const DeltaOp& op, const std::string& of_what) {
  return {ErrorCode::kOpOutOfRange, name_of(window) + "copies " + std::to_string(op.length) + " bytes from byte " +
                                        std::to_string(op.source_pos) + " of " + of_what};
}

}  // namespace

Error corrupt_window(const WindowDelta& window, const char* what) { return {ErrorCode::kPatchCorrupt, name_of(window) + what}; }

Error beyond_source(const WindowDelta& window, const DeltaOp& op, std::uint64_t source_size) {
  return out_of_range(window, op, "OLD, which has " + std::to_string(source_size));
}

Error beyond_history(const WindowDelta& window, const DeltaOp& op) {
  return out_of_range(window, op, "NEW, of which " + std::to_string(window.history_bytes) + " in front of the window are kept");
}

}  // namespace bdelta
