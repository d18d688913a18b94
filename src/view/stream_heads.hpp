// Where the first two bytes of a stream of zlib or gzip stand.
#pragma once

#include "base/pair_scan.hpp"
#include "view/gzip_head.hpp"

namespace bdelta::view {

// Of zlib those with a window of 32 KiB at its four levels, and one with 4 KiB.
inline constexpr std::uint8_t kHeadPairs[6][2] = {{kGzipMagic[0], kGzipMagic[1]}, {0x78, 0x01}, {0x78, 0x5e}, {0x78, 0x9c}, {0x78, 0xda}, {0x48, 0x89}};
inline constexpr PairScan kHeadScan(kHeadPairs);

}  // namespace bdelta::view
