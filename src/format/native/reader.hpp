// Reading a version 2 patch.
#pragma once

#include "format/patch_reader.hpp"

namespace bdelta::native {

[[nodiscard]] bool detect(ByteSpan first_bytes) noexcept;

Result<std::unique_ptr<PatchReader>> open(io::TypedReader& patch, std::uint64_t memory_limit_bytes);

}  // namespace bdelta::native
