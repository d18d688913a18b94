// The face that every patch format shows to the applier: what it is, and its windows one by one.
// A reader only parses. It touches neither source nor target.
#pragma once

#include <memory>

#include "bdelta/inspect.hpp"
#include "delta/op.hpp"
#include "format/prediction_plan.hpp"
#include "io/typed_reader.hpp"

namespace bdelta {

class PatchReader {
 public:
  virtual ~PatchReader() = default;

  [[nodiscard]] virtual const PatchInfo& info() const noexcept = 0;

  // What the patch brings for predicting copied fields; null if it doesn't. To be called once, before the first window;
  // the plan lives as long as the reader. Covers are ascending and inside a target of info().target_size bytes and a
  // source of that size; more than memory_limit_bytes of open_patch are never taken.
  virtual Result<const PredictionPlan*> read_prediction() { return nullptr; }

  // The next window in target order; false behind the last one, when the patch has also proved to end there.
  // A window is bounded in memory as its format says, but a plain one may be of any length. It still has to pass
  // validate_window.
  virtual Result<bool> next(WindowDelta& window) = 0;
};

// Recognises the format by the first bytes and reads the header. `patch` must outlive the reader.
// memory_limit_bytes: what the reader may hold because the patch says so; more is kMemoryLimit.
Result<std::unique_ptr<PatchReader>> open_patch(io::TypedReader& patch, std::uint64_t memory_limit_bytes);

}  // namespace bdelta
