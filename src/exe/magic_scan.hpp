// Where the first two bytes of an image's magic stand.
#pragma once

#include "base/pair_scan.hpp"
#include "exe/elf.hpp"
#include "exe/macho.hpp"
#include "exe/pe.hpp"
#include "exe/toy.hpp"

namespace bdelta::exe {

inline constexpr std::uint8_t kMagicPairs[4][2] = {{kElfMagic[0], kElfMagic[1]},
                                                   {kPeMagic[0], kPeMagic[1]},
                                                   {kMachoMagic[0], kMachoMagic[1]},
                                                   {kToyMagic[0], kToyMagic[1]}};
inline constexpr PairScan kMagicScan(kMagicPairs);

}  // namespace bdelta::exe
