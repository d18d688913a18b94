// The one executor: makes the target bytes of a window out of its ops, whatever format they came from.
#pragma once

#include "apply/predicted_copies.hpp"
#include "apply/source_cache.hpp"
#include "apply/target_history.hpp"
#include "delta/op.hpp"

namespace bdelta {

// What one thread keeps from window to window.
struct ExecuteCaches {
  explicit ExecuteCaches(RandomReader& reader, const PredictedCopies* predicted, Watch* the_watch = nullptr)
      : source(reader), fields(predicted ? predicted->make_cache() : nullptr), watch(the_watch) {}

  SourceCache source;
  std::unique_ptr<PredictedCopies::Cache> fields;  // absent without prediction
  Watch* watch;                                    // may be null
};

// `window` has passed validate_window; `out` is exactly its target_length. Allocates nothing in its loop, but for blocks
// of fields where `predicted`, which may be null, finds those of a new place. `history`: the target in front of the
// window; may be null if the window copies none of it. Errors: those of reading the source.
Status execute_window(const WindowDelta& window, const PredictedCopies* predicted, ExecuteCaches& caches,
                      MutableByteSpan out, const TargetHistory* history = nullptr);

}  // namespace bdelta
