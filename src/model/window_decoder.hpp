// From the raw bytes of a window's streams to its ops: the mirror image of window_encoder.
#pragma once

#include "delta/op.hpp"
#include "model/streams.hpp"

namespace bdelta {

// Fills `window` (all but target_pos, which is set) from the window's raw streams. `diagonal` is the coder's state
// and goes from window to window within a group. Residual values and literals are moved out of `streams`.
// The result still has to pass validate_window. Errors: kPatchCorrupt.
Status decode_window(const WindowRecord& record, StreamBytes& streams, std::int64_t& diagonal, WindowDelta& window);

}  // namespace bdelta
