// A reader of version 1 patches as the original bpatch is one, for tests alone. It shares no code with src/format.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bdelta::test {

struct ReferenceResult {
  bool ok = false;
  std::string complaint;
  std::vector<std::uint8_t> target;
};

// Old is walked like a file: relative seeks by a 32-bit signed step, then reads. A seek to before the start or a read
// beyond the end is a complaint; the original would have made something up.
[[nodiscard]] ReferenceResult reference_bdt1_apply(const std::vector<std::uint8_t>& old_bytes,
                                                   const std::vector<std::uint8_t>& patch);

}  // namespace bdelta::test
