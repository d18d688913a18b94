// What the windows of a patch format need of who applies them, beyond literals and copies of stretches that are whole and
// inside the source.
#pragma once

namespace bdelta {

struct Capabilities {
  bool source_while_decoding = false;  // the reader reads the source to decode windows
  bool zeros_beyond_source = false;    // copies may begin or end behind the source, where all bytes are zero
  bool target_size_at_end = false;     // no header tells the size of the target
  bool runs = false;                   // one byte, repeated
  bool overlapping_copies = false;     // target copies that reach into themselves
};

}  // namespace bdelta
