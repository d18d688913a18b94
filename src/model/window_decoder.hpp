// From the raw bytes of a window's streams to its ops: the mirror image of window_encoder.
#pragma once

#include "delta/cover.hpp"
#include "delta/op.hpp"
#include "model/streams.hpp"

namespace bdelta {

// Fills `window` (all but target_pos, which is set) from the window's raw streams. `diagonal` is the coder's state
// and goes from window to window within a group. Residual values and literals are moved out of `streams`.
// The result still has to pass validate_window. Errors: kPatchCorrupt.
Status decode_window(const WindowRecord& record, StreamBytes& streams, std::int64_t& diagonal, WindowDelta& window);

// Appends the covers of a window of a group of kind kCovers; those that meet on one diagonal become one. Positions in
// the source are not proven. Errors: kPatchCorrupt.
Status decode_covers(const WindowRecord& record, const StreamBytes& streams, std::uint64_t target_pos,
                     std::int64_t& diagonal, Covers& covers);

// What a group lacks of windows that are predicted: their ops, out of the covers that stand apart. Windows come in order.
class CoverStreams {
 public:
  explicit CoverStreams(const Covers& covers) noexcept : covers_(covers) {}

  // Sets the streams of ops, their sizes and their number, of the window that begins at target_pos, behind one that has
  // left the coder's state at `diagonal`.
  void fill(std::uint64_t target_pos, std::int64_t diagonal, WindowRecord& record, StreamBytes& streams);

 private:
  const Covers& covers_;
  std::size_t next_ = 0;  // the first that does not end before the window
};

}  // namespace bdelta
