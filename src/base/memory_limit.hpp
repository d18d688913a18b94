// A limit of memory that a caller set, as it counts where addresses have 32 bits: what is held below it is a size of
// memory then. With 64 bits every number is one, and a limit stays as it is.
#pragma once

#include <algorithm>
#include <string>

#include "base/checked.hpp"
#include "bdelta/error.hpp"

namespace bdelta {

[[nodiscard]] constexpr std::uint64_t reachable_limit(std::uint64_t limit_bytes) noexcept {
  return sizeof(std::size_t) < sizeof limit_bytes ? std::min(limit_bytes, kMostMemoryBytes) : limit_bytes;
}

// kMemoryLimit. what: what takes more than the limit, and how much; needed_bytes: the limit that it fits, 0 if unknown.
[[nodiscard]] inline Error beyond_memory_limit(const std::string& what, std::uint64_t limit_bytes, std::uint64_t needed_bytes) {
  return {.code = ErrorCode::kMemoryLimit,
          .detail = what + ", the limit is " + std::to_string(limit_bytes),
          .remedy = "raise memory_limit_bytes",
          .needed_bytes = needed_bytes};
}

}  // namespace bdelta
