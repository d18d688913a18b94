// What models of bytes take, for those who only count it.
#pragma once

#include "delta/modelled_bytes.hpp"
#include "model/streams.hpp"

namespace bdelta {

inline constexpr unsigned kMinMissLog = 12;
inline constexpr unsigned kMaxMissLog = 18;

// Upper bounds of the bytes of a model, as patches declare them.
inline constexpr std::uint64_t kLiteralMemoryBytes = std::uint64_t{4} << 20;
[[nodiscard]] constexpr std::uint64_t miss_memory_bytes(unsigned miss_log) {
  return (std::uint64_t{512} << 10) + (std::uint64_t{64} << miss_log);
}

// Likewise of all lanes of a group.
[[nodiscard]] constexpr std::uint64_t models_memory_bytes(const ModelledScope& scope) {
  constexpr std::uint64_t kLaneBytes = 4096;
  return scope.lane_count * (kLaneBytes + (scope.literals ? kLiteralMemoryBytes : 0) +
                             (scope.misses ? miss_memory_bytes(scope.miss_log) : 0));
}

// The streams, as bits, that models have of windows with modelled bytes.
[[nodiscard]] constexpr unsigned modelled_streams(const ModelledScope& scope) {
  return (scope.literals ? 1u << kLiterals : 0) | (scope.misses ? kResidualBits : 0);
}

// Those that a group may have of a coded window.
[[nodiscard]] constexpr unsigned streams_of(const WindowRecord& window, const ModelledScope& scope) {
  if (window.covers) return kOpStreams;
  const unsigned streams = ((1u << kStreamCount) - 1) & ~(window.predicted ? kOpStreams : 0);
  return streams & ~(window.modelled ? modelled_streams(scope) : 1u << kModelledCode);
}

// The code of a window of so many bytes has no more: what a model makes of noise is hardly longer than the noise.
[[nodiscard]] constexpr std::uint64_t most_code_bytes(std::uint64_t window_bytes) {
  return window_bytes + window_bytes / 8 + 64;
}

}  // namespace bdelta
