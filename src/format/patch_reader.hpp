// The face that every patch format shows to the applier: what it is, and its windows one by one.
// A reader only parses. It touches neither source nor target.
#pragma once

#include <memory>

#include "bdelta/inspect.hpp"
#include "delta/fills.hpp"
#include "delta/moved_numbers.hpp"
#include "delta/op.hpp"
#include "format/prediction_plan.hpp"
#include "io/typed_reader.hpp"
#include "view/geometry.hpp"

namespace bdelta {

class PatchReader {
 public:
  virtual ~PatchReader() = default;

  [[nodiscard]] virtual const PatchInfo& info() const noexcept = 0;

  // In the place of what follows: reads the patch to its end and proves all that its own bytes can prove. True if checksums
  // guard them; of a format without any, all windows are read.
  virtual Result<bool> verify();

  // The next of the records in front of the first window, for a caller that has them one by one. read_prediction reads what
  // is left of them.
  virtual Status read_plan_record() { return {}; }

  // What the patch says of views of its files; null if it is about the files as they are. All else that the reader gives is
  // about the views then, but for info(). To be called once, before read_prediction; the plan lives as long as the reader.
  virtual Result<const view::ViewPlan*> read_view() { return nullptr; }

  // What the patch brings for predicting copied fields; null if it doesn't. To be called once, before the first window;
  // the plan lives as long as the reader. Covers are ascending and inside a target of info().target_size bytes and a
  // source of that size; more than memory_limit_bytes of open_patch are never taken.
  virtual Result<const PredictionPlan*> read_prediction() { return nullptr; }

  // What is filled in when the patch is applied, sound for its target; windows have any bytes in their place, and checksums
  // of these. Known once the plan is whole.
  [[nodiscard]] virtual const Fills& fills() const noexcept {
    static const Fills kNone;
    return kNone;
  }

  // Numbers that the source has and copies have others in place of, sound for its size. Known once the plan is whole.
  [[nodiscard]] virtual const MovedNumbers& moved_numbers() const noexcept {
    static const MovedNumbers kNone;
    return kNone;
  }

  // The next window in target order; false behind the last one, when the patch has also proved to end there.
  // A window is bounded in memory as its format says, but a plain one may be of any length. It still has to pass
  // validate_window.
  virtual Result<bool> next(WindowDelta& window) = 0;
};

// Bytes from which every format can be told.
inline constexpr std::size_t kDetectBytes = 8;

// Whether a patch that begins so can be of a known format: kNotAPatch, kUnsupportedVersion or kPatchTruncated if it
// can't. first_bytes: kDetectBytes of them, fewer only if there are no more.
Status recognise_patch(ByteSpan first_bytes);

// Recognises the format by the first bytes and reads the header. `patch` must outlive the reader.
// memory_limit_bytes: what the reader may hold because the patch says so; more is kMemoryLimit.
Result<std::unique_ptr<PatchReader>> open_patch(io::TypedReader& patch, std::uint64_t memory_limit_bytes);

}  // namespace bdelta
