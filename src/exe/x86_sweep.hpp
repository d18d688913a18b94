// The sweep over x86 code as one kernel. For isa_x86.cpp and for tests.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "exe/x86_decode.hpp"

namespace bdelta::exe::x86 {

// Which numbers of an instruction are wanted: relative ones, or all of four bytes as well, which may be addresses where a
// program is loaded where it was linked for.
enum class Numbers : std::uint8_t { kRelative, kAll };

// A relative number inside an instruction.
struct SweepRecord {
  std::uint32_t pos = 0;  // of its first byte, from the sweep's base
  Relative relative = Relative::kNone;
  std::uint8_t trailing_bytes = 0;
};

// A sweep ends when it is full, so that records stay in the fastest cache.
using SweepBuffer = std::array<SweepRecord, 1024>;

struct Sweep {
  const std::uint8_t* next;  // start of the instruction after the last one that was decoded
  std::size_t record_count;
};

// Decodes instructions from `at` on while they start before `limit` and records fit. kReadableBytes must be readable
// from the last start on; positions count from `base`, less than 4 GiB before `limit`.
template <bool kBits64, Numbers kNumbers = Numbers::kRelative>
[[nodiscard]] Sweep sweep(const std::uint8_t* base, const std::uint8_t* at, const std::uint8_t* limit,
                          SweepBuffer& records) noexcept;

extern template Sweep sweep<true>(const std::uint8_t*, const std::uint8_t*, const std::uint8_t*,
                                  SweepBuffer&) noexcept;
extern template Sweep sweep<false>(const std::uint8_t*, const std::uint8_t*, const std::uint8_t*,
                                  SweepBuffer&) noexcept;
extern template Sweep sweep<true, Numbers::kAll>(const std::uint8_t*, const std::uint8_t*, const std::uint8_t*,
                                                 SweepBuffer&) noexcept;
extern template Sweep sweep<false, Numbers::kAll>(const std::uint8_t*, const std::uint8_t*, const std::uint8_t*,
                                                  SweepBuffer&) noexcept;

}  // namespace bdelta::exe::x86
