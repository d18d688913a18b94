// A limit of memory that a caller set, as it counts where addresses have 32 bits: what is held below it is a size of
// memory then. With 64 bits every number is one, and a limit stays as it is.
#pragma once

#include <algorithm>

#include "base/checked.hpp"

namespace bdelta {

[[nodiscard]] constexpr std::uint64_t reachable_limit(std::uint64_t limit_bytes) noexcept {
  return sizeof(std::size_t) < sizeof limit_bytes ? std::min(limit_bytes, kMostMemoryBytes) : limit_bytes;
}

}  // namespace bdelta
