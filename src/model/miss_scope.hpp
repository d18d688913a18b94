// How large the miss models are.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bdelta {

inline constexpr unsigned kMinMissLog = 12;
inline constexpr unsigned kMaxMissLog = 18;
inline constexpr unsigned kValueLogLess = 2;  // lines of values are fewer than slots by so many halvings
inline constexpr std::size_t kMissFlagContexts = 14;
inline constexpr std::size_t kMissValueContexts = 17;

struct MissScope {
  unsigned table_log = kMinMissLog;
};

// Upper bound of the bytes of either model.
[[nodiscard]] constexpr std::uint64_t miss_memory_bytes(const MissScope& scope) {
  constexpr std::uint64_t kFixed = 512 * 1024;
  return kFixed + (std::uint64_t{kMissFlagContexts * 4} << scope.table_log) +
         (std::uint64_t{32} << (scope.table_log - kValueLogLess));
}

}  // namespace bdelta
