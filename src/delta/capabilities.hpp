// What the windows of a patch format need of who applies them, beyond literals and copies of stretches that are whole and
// inside the source.
#pragma once

namespace bdelta {

struct Capabilities {
  bool source_while_decoding = false;  // the reader reads the source to decode windows
};

}  // namespace bdelta
