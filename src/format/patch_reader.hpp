// The face that every patch format shows to the applier: what it is, what it brings for all windows, and these one by one.
// A reader only parses. It touches no target, and the source only if its format says so (delta/capabilities.hpp).
#pragma once

#include <memory>

#include "bdelta/inspect.hpp"
#include "bdelta/io.hpp"
#include "delta/op.hpp"
#include "format/apply_plan.hpp"
#include "format/patch_meter.hpp"
#include "io/typed_reader.hpp"

namespace bdelta {

// The calls: use_source, read_plan until it gives the plan, next until it gives false; or verify.
class PatchReader {
 public:
  virtual ~PatchReader() = default;

  // All but the name of the format, which its line in the table says (format.hpp).
  [[nodiscard]] virtual const PatchInfo& info() const noexcept = 0;

  // Tells `meter` of all that is read from here on, which begins behind the header; it outlives the reader. A format that
  // has no parts tells nothing.
  virtual void measure(PatchMeter& meter);

  // What the patch was made from, proven as far as info() tells it. For a format that reads it while decoding; it outlives
  // the reader, and any number of threads may read it meanwhile.
  virtual void use_source(RandomReader& source);

  // What the patch says of trees, which is the first of its plan; null for a patch of files. Lives as long as the reader, and
  // info() tells of it then.
  virtual Result<const view::TreePlan*> read_tree();

  // Goes on by one part of what stands before the first window. Null while more of it follows; then the plan, which lives as
  // long as the reader.
  virtual Result<const ApplyPlan*> read_plan();

  // The next window in target order; false behind the last one, when the patch has also proved to end there.
  // A window is bounded in memory as its format says, but a plain one may be of any length. It still has to pass
  // validate_window.
  virtual Result<bool> next(WindowDelta& window) = 0;

  // Reads the patch to its end and proves all of its checksums: true. False, with nothing read, of a format without any.
  virtual Result<bool> verify();
};

}  // namespace bdelta
