// What is wrong with a window of a patch. Apart from the loops that find it: errors are rare, and need not be fast.
#pragma once

#include "delta/op.hpp"

namespace bdelta {

// kPatchCorrupt; `what` goes on behind "the window at target byte N".
[[nodiscard]] Error corrupt_window(const WindowDelta& window, const char* what);

// kOpOutOfRange: the op copies what OLD hasn't.
[[nodiscard]] Error beyond_source(const WindowDelta& window, const DeltaOp& op, std::uint64_t source_size);

// kOpOutOfRange: the op copies of NEW what is not kept.
[[nodiscard]] Error beyond_history(const WindowDelta& window, const DeltaOp& op);

}  // namespace bdelta
