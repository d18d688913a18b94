// What a regular output takes after another file, of which it is the next version.
#pragma once

#include <cstdint>

namespace bdelta::io {

struct OutputModel {
  std::uint32_t permissions = 0666;  // of a new file, less what umask or the directory's default access list takes
  bool sets_permissions = false;     // the file gets just these, be it new or in the place of another
  bool has_holes = false;            // blocks of zeros become holes
  std::uint64_t hole_bytes = 0;      // in those of the model: the output is thought to need so much less than its size
};

}  // namespace bdelta::io
