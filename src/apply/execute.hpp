// The one executor: makes the target bytes of a window out of its ops, whatever format they came from.
#pragma once

#include "apply/source_cache.hpp"
#include "delta/op.hpp"

namespace bdelta {

// `window` has passed validate_window; `out` is exactly its target_length. Allocates nothing in its loop.
// Errors: those of reading the source.
Status execute_window(const WindowDelta& window, SourceCache& source, MutableByteSpan out);

}  // namespace bdelta
