// What the model of literals is told, beside the code: where each run stands. Packer and unpacker must be told the same,
// and read the same source.
#pragma once

#include <array>
#include <cstdint>

#include "delta/modelled_bytes.hpp"

namespace bdelta {

// Literal bytes between two copies. Any values are safe: those out of range only make poor predictions.
struct LiteralRun {
  std::uint64_t length = 0;
  std::uint64_t target_pos = 0;
  std::uint64_t source_before = kNoSource;  // position behind the last byte that the copy before took; kNoSource: none
  std::uint64_t source_after = kNoSource;   // of the first byte that the copy after takes; kNoSource: none
  std::array<std::uint8_t, 8> before{};     // the target bytes in front of the run, the nearest last
};

}  // namespace bdelta
