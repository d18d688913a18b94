// The pair that a patch is made for, and what of it is at hand.
#pragma once

#include "create/input.hpp"
#include "create/group_outline.hpp"
#include "delta/file_pieces.hpp"

namespace bdelta {

struct CreateInputs {
  RandomReader& source_reader;
  RandomReader& target_reader;
  InputBytes source;  // empty where it is gathered
  InputBytes target;  // empty where it is read by segments

  // Of the segment that is worked on:
  TargetRange segment{0, 0};
  FilePieces source_pieces{ByteSpan()};  // and behind it the target, where that may be copied as well
  FilePieces target_pieces{ByteSpan()};

  // From now on covers may copy from the target behind the source; both are whole. Gives what they could copy from so far.
  FilePieces append_target();

  // Of positions that begin at 0 with the segment.
  void move_to_segment(Covers& covers) const noexcept;
};

}  // namespace bdelta
