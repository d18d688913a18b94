// What the bytes of a patch are for, as its reader goes through it.
#pragma once

#include <array>
#include <cstdint>

#include "model/streams.hpp"

namespace bdelta {

// A record of windows, or of covers.
struct MeteredGroup {
  GroupKind kind = GroupKind::kWhole;
  std::uint64_t target_pos = 0;  // its windows make this and what follows
  std::uint64_t target_bytes = 0;
  std::uint64_t patch_bytes = 0;  // of the whole record; what is more than those below are tables, heads and checksums
  StreamSizes coded_bytes{};      // by stream, those in the code apart
  std::uint64_t code_bytes = 0;   // of the streams in code_streams, as bits
  unsigned code_streams = 0;
};

class PatchMeter {
 public:
  virtual ~PatchMeter() = default;

  virtual void group(const MeteredGroup& group) = 0;

  // Of the patch besides, by what it holds: words of docs/json.md that are never freed. May come more than once.
  virtual void part(const char* what, std::uint64_t bytes) = 0;
};

}  // namespace bdelta
