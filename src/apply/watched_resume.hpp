// How far it is with what an interrupted update left to do, told by a watch. Whoever does it has an Error to return, and needs
// to tell an end that was asked for from a failure: the first leaves the rest for the next call.
#pragma once

#include "base/guard.hpp"
#include "parallel/watch.hpp"

namespace bdelta {

// Watch::begin_stage for a watch that may be null.
[[nodiscard]] inline Status begin_watched(Watch* watch, PhaseId phase, double goal, std::uint64_t unit_count) noexcept {
  return guarded([&]() -> Status {
    if (!watch) return {};
    watch->set_phase(phase);
    watch->begin_stage(goal, unit_count);
    return {};
  });
}

[[nodiscard]] constexpr bool is_interruption(ErrorCode code) noexcept {
  return code == ErrorCode::kCancelled || code == ErrorCode::kTimeLimit;
}

}  // namespace bdelta
