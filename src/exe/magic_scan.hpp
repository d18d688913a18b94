// Where the first two bytes of a format's magic stand.
//
// A file is mostly not the start of an image, so the scan has to pass over plain data at the speed of memory. Two bytes are
// enough to look at: random bytes have such a pair each 16 KiB, and the parser of the format judges what is found. The
// portable form asks blocks of 512 bytes whether any position passes, by operators without branches, which compilers turn
// into instructions over many bytes. magic_scan_avx2.cpp asks by one shuffle for all formats.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exe/elf.hpp"
#include "exe/macho.hpp"
#include "exe/pe.hpp"
#include "exe/toy.hpp"

namespace bdelta::exe {

inline constexpr std::uint8_t kMagicPairs[4][2] = {{kElfMagic[0], kElfMagic[1]},
                                                   {kPeMagic[0], kPeMagic[1]},
                                                   {kMachoMagic[0], kMachoMagic[1]},
                                                   {kToyMagic[0], kToyMagic[1]}};

// The first of `count` positions where such a pair stands, or `count`. Reads one byte more than that.
using MagicScan = std::size_t (*)(const std::uint8_t* bytes, std::size_t count) noexcept;

[[nodiscard]] std::size_t find_magic_portably(const std::uint8_t* bytes, std::size_t count) noexcept;
[[nodiscard]] std::size_t find_magic_avx2(const std::uint8_t* bytes, std::size_t count) noexcept;

// The fastest of these for this processor.
[[nodiscard]] MagicScan best_magic_scan() noexcept;

}  // namespace bdelta::exe
