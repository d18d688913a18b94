// Where the first two bytes of a format's magic stand. A file is mostly not the start of an image, so the scan has to
// pass over plain data at the speed of memory: a block is asked at once whether any of its positions has one of the four
// pairs, in a loop without branches that compilers turn into vector instructions. Random bytes have a pair each 16 KiB.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exe/elf.hpp"
#include "exe/macho.hpp"
#include "exe/pe.hpp"
#include "exe/toy.hpp"

namespace bdelta::exe {

inline constexpr std::size_t kMagicBlockBytes = 512;

// Bitwise operators throughout: a branch would keep the loop from being vectorised.
[[nodiscard]] constexpr std::uint8_t begins_magic(std::uint8_t first, std::uint8_t second) noexcept {
  const auto pair = [&](std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>((first == a) & (second == b));
  };
  return static_cast<std::uint8_t>(pair(kElfMagic[0], kElfMagic[1]) | pair(kPeMagic[0], kPeMagic[1]) |
                                   pair(kMachoMagic[0], kMachoMagic[1]) | pair(kToyMagic[0], kToyMagic[1]));
}

// Whether a magic may begin at one of the positions of a block. Reads one byte beyond. Each kind of processor has a type
// of its own, as a linker takes functions of the same name for one.
template <class Processor>
[[nodiscard]] bool any_begins_magic(const std::uint8_t* block) noexcept {
  std::uint8_t any = 0;
  for (std::size_t i = 0; i < kMagicBlockBytes; ++i) {
    any = static_cast<std::uint8_t>(any | begins_magic(block[i], block[i + 1]));
  }
  return any != 0;
}

using MagicScan = bool (*)(const std::uint8_t* block) noexcept;

[[nodiscard]] bool any_begins_magic_avx2(const std::uint8_t* block) noexcept;

}  // namespace bdelta::exe
