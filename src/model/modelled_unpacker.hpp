// From the code of a lane back to the modelled bytes of its windows: the mirror image of modelled_packer.
#pragma once

#include <memory>
#include <span>

#include "bdelta/io.hpp"
#include "delta/op.hpp"
#include "parallel/watch.hpp"

namespace bdelta {

// One object, one lane: its windows come in order. One thread at a time.
class ModelledUnpacker {
 public:
  // `source` must outlive the object. The scope has been bounded, see models_memory_bytes.
  ModelledUnpacker(const ModelledScope& scope, RandomReader& source);
  ~ModelledUnpacker();

  // `out` is the window with what its copies give, and with its literals where those are not coded. Makes it what
  // the target is. Errors: kPatchCorrupt for a code that is longer or shorter than what it says, those of the source.
  // The watch may be null.
  Status unpack(const WindowDelta& window, MutableByteSpan out, Watch* watch);

  // Copied bytes that have changed in all windows so far.
  [[nodiscard]] std::uint64_t changed_count() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bdelta
