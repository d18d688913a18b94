// BDT version 1, the format of the original BDelta. All integers little-endian:
//
//   magic "BDT" | version u16 = 1 | integer size u8 = 4 | old size u32 | new size u32 | match count u32
//   matches: { source seek i32, literal bytes u32, length u32 } each
//   literals of all matches, then those behind the last match
//
// The source seek counts from the end of the match before, not from its start. The last literal run has no count: it
// is what is missing to the new size. There is no checksum.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bdelta::bdt1 {

inline constexpr std::uint8_t kMagic[3] = {'B', 'D', 'T'};
inline constexpr std::uint16_t kVersion = 1;
inline constexpr std::uint8_t kIntegerSize = 4;
inline constexpr std::size_t kHeaderBytes = 18;
inline constexpr std::size_t kMatchBytes = 12;

// The original applies positions through 32-bit signed seeks; from 2 GiB on it goes wrong.
inline constexpr std::uint64_t kMaxFileBytes = (std::uint64_t{1} << 31) - 1;

}  // namespace bdelta::bdt1
