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

// What a group of kind kContents lacks of its windows: their ops, out of the covers of the whole target. Windows come in
// order from the start of the target.
class CoverStreams {
 public:
  explicit CoverStreams(const Covers& covers) noexcept : covers_(covers) {}

  void begin_group() noexcept { diagonal_ = 0; }

  // Sets the streams of ops, their sizes and their number, of the next `length` target bytes.
  void fill(std::uint64_t length, WindowRecord& record, StreamBytes& streams);

 private:
  const Covers& covers_;
  std::size_t next_ = 0;
  std::uint64_t target_pos_ = 0;
  std::int64_t diagonal_ = 0;
};

}  // namespace bdelta
