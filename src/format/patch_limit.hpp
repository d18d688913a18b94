// The error of a patch that is larger than its caller has use for.
#pragma once

#include <cstdint>
#include <string>

#include "bdelta/error.hpp"

namespace bdelta {

// kPatchTooLarge, for a patch that would have more than limit_bytes.
[[nodiscard]] inline Error patch_too_large(std::uint64_t limit_bytes) {
  return {ErrorCode::kPatchTooLarge, "it would have more than " + std::to_string(limit_bytes) +
                                         " bytes; keep NEW itself, or allow more with --max-ratio"};
}

}  // namespace bdelta
