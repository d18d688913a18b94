// What can be filled in when a patch is applied (delta/fills.hpp), as it is found when one is made.
#pragma once

#include <algorithm>

#include "delta/fills.hpp"
#include "hash/sha256.hpp"

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

// Adds a range to the last rule if that is of this kind and the range lies behind its others, else in a rule of its own.
inline void add_range(Fills& fills, const FillKind& kind, unsigned page_log, const FillRange& range) {
  const bool fits = !fills.empty() && fills.back().kind == kind && fills.back().page_log == page_log &&
                    fills.back().ranges.back().end() <= range.pos;
  if (!fits) fills.push_back({kind, page_log, {}});
  fills.back().ranges.push_back(range);
}

// Whether the target has, from result `first` of a range up to `end`, what an applier computes. The kind is one of SHA-256.
[[nodiscard]] inline bool has_results(ByteSpan target, const FillRule& rule, const FillRange& range, std::uint64_t first,
                                      std::uint64_t end) {
  const std::uint64_t each_bytes = rule.input_bytes(range);
  Bytes computed(rule.kind.result_bytes);
  for (std::uint64_t result = first; result < end; ++result) {
    const std::uint64_t pos = range.pos + result * each_bytes;
    const auto bytes = static_cast<std::size_t>(std::min(each_bytes, range.end() - pos));
    write_digest(rule.kind.encoding, sha256(target.subspan(static_cast<std::size_t>(pos), bytes)), computed.data());
    const std::uint8_t* const place = target.data() + range.place_pos + result * computed.size();
    if (!std::equal(computed.begin(), computed.end(), place)) return false;
  }
  return true;
}

}  // namespace bdelta
