// Reading a version 1 patch.
#pragma once

#include "format/patch_reader.hpp"

namespace bdelta::bdt1 {

[[nodiscard]] bool detect(ByteSpan first_bytes) noexcept;

Result<std::unique_ptr<PatchReader>> open(io::TypedReader& patch, std::uint64_t memory_limit_bytes);

}  // namespace bdelta::bdt1
