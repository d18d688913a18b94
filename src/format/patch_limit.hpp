// The error of a patch that is larger than its caller has use for.
#pragma once

#include <cstdint>
#include <string>

#include "bdelta/error.hpp"

namespace bdelta {

// kPatchTooLarge, for a patch that would have more than limit_bytes.
[[nodiscard]] inline Error patch_too_large(std::uint64_t limit_bytes) {
  return {.code = ErrorCode::kPatchTooLarge,
          .detail = std::to_string(limit_bytes) + " bytes",
          .remedy = "keep NEW itself, or raise max_patch_ratio"};
}

}  // namespace bdelta
