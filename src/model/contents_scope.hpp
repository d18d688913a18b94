// What the contents coder takes, for those who only count it.
#pragma once

#include "delta/contents.hpp"
#include "model/literal_scope.hpp"
#include "model/miss_scope.hpp"
#include "model/streams.hpp"

namespace bdelta {

// Upper bound of the bytes of all lanes of a group.
[[nodiscard]] constexpr std::uint64_t contents_memory_bytes(const ContentsScope& scope) {
  constexpr std::uint64_t kLaneBytes = 4096;
  const std::uint64_t lane = kLaneBytes + (scope.literals ? literal_memory_bytes({scope.literal_log}) : 0) +
                             (scope.misses ? miss_memory_bytes({scope.miss_log}) : 0);
  return scope.lane_count * lane;
}

// The stream in whose place the code stands.
[[nodiscard]] constexpr StreamId code_stream(const ContentsScope& scope) {
  return scope.misses ? kResidualValues : kLiterals;
}

// The code of a window of so many bytes has no more: what a model makes of noise is hardly longer than the noise.
[[nodiscard]] constexpr std::uint64_t most_code_bytes(std::uint64_t window_bytes) {
  return window_bytes + window_bytes / 8 + 64;
}

}  // namespace bdelta
