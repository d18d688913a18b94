// What the model of literals is told, beside the code: how large it is and where each run stands. Packer and unpacker
// must be told the same, and read the same source.
#pragma once

#include <array>
#include <cstdint>

namespace bdelta {

inline constexpr unsigned kMinLiteralLog = 16;
inline constexpr unsigned kMaxLiteralLog = 18;

struct LiteralScope {
  unsigned table_log = kMinLiteralLog;  // log2 of the lines of contexts; source and literals at hand grow with it
  bool run_matches = true;              // matches may begin inside of a run; in the first patches they did not
  bool light = false;                   // the light model, of the least table_log
};

// Upper bound of the bytes of a model: 4 MiB for the least table_log, 16 MiB for the largest.
[[nodiscard]] constexpr std::uint64_t literal_memory_bytes(const LiteralScope& scope) {
  return std::uint64_t{64} << scope.table_log;
}

inline constexpr std::uint64_t kNoSource = ~std::uint64_t{0};

// Literal bytes between two copies. Any values are safe: those out of range only make poor predictions.
struct LiteralRun {
  std::uint64_t length = 0;
  std::uint64_t target_pos = 0;
  std::uint64_t source_before = kNoSource;  // position behind the last byte that the copy before took; kNoSource: none
  std::uint64_t source_after = kNoSource;   // of the first byte that the copy after takes; kNoSource: none
  std::array<std::uint8_t, 8> before{};     // the target bytes in front of the run, the nearest last
};

}  // namespace bdelta
