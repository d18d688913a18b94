// Where the first two bytes of a stream of zlib or gzip stand.
//
// Most bytes begin no stream, so the scan has to pass over them at the speed of memory. Two bytes are enough to look at: in
// random ones such a pair stands each 10 KiB, and inflating judges what is found. The portable form asks blocks whether any
// position passes, by operators without branches, which compilers turn into instructions over many bytes.
// stream_heads_avx2.cpp asks by one shuffle for all pairs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "view/gzip_head.hpp"

namespace bdelta::view {

// Of zlib those with a window of 32 KiB at its four levels, and one with 4 KiB.
inline constexpr std::uint8_t kHeadPairs[6][2] = {{0x78, 0x01}, {0x78, 0x5e}, {0x78, 0x9c}, {0x78, 0xda}, {0x48, 0x89}, {kGzipMagic[0], kGzipMagic[1]}};

// The first of `count` positions where such a pair stands, or `count`. Reads one byte more than that.
using HeadScan = std::size_t (*)(const std::uint8_t* bytes, std::size_t count) noexcept;

[[nodiscard]] std::size_t find_head_portably(const std::uint8_t* bytes, std::size_t count) noexcept;
[[nodiscard]] std::size_t find_head_avx2(const std::uint8_t* bytes, std::size_t count) noexcept;

// The fastest of these for this processor.
[[nodiscard]] HeadScan best_head_scan() noexcept;

}  // namespace bdelta::view
