// What a pass finds that an applier can fill in (delta/fills.hpp).
#pragma once

#include <vector>

#include "delta/fills.hpp"

namespace bdelta {

// What is to stand in the target instead of what is filled in, so that it costs nothing.
struct OtherBytes {
  std::uint64_t pos = 0;
  Bytes bytes;
};

struct FoundFills {
  Fills fills;                     // sound; proven: the target has at each place what an applier computes
  std::vector<OtherBytes> others;
};

// Adds a range behind those of the last rule if that is of this kind, else in a rule of its own.
inline void add_range(Fills& fills, const FillKind& kind, unsigned page_log, const FillRange& range) {
  if (fills.empty() || fills.back().kind != kind || fills.back().page_log != page_log) fills.push_back({kind, page_log, {}});
  fills.back().ranges.push_back(range);
}

}  // namespace bdelta
