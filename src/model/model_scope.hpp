// What of a group the context coder carries, and what that takes.
#pragma once

#include "model/streams.hpp"

namespace bdelta {

inline constexpr unsigned kMaxTableLog = 8;  // 8 MiB: beyond, decoding slows down more than the code shrinks

inline constexpr unsigned kModelStreams = 0x3f;  // all but the literals may be carried

struct ModelScope {
  unsigned streams = 0;    // bit i: stream i is carried; the others are decoded first, and their numbers are contexts
  unsigned table_log = 0;  // 0 to kMaxTableLog: larger tables keep more contexts apart

  [[nodiscard]] constexpr bool has(std::size_t stream) const noexcept { return (streams >> stream & 1) != 0; }
};

// Upper bound of the bytes of a group's model.
[[nodiscard]] constexpr std::uint64_t model_memory_bytes(const ModelScope& scope) {
  constexpr std::uint64_t kFixed = 768 * 1024;
  constexpr std::uint64_t kTables = 32 * 1024;
  return kFixed + (kTables << scope.table_log);
}

}  // namespace bdelta
