// What bdelta says of patches to people.
#pragma once

#include <filesystem>
#include <string>

#include "bdelta/report.hpp"

namespace bdelta::cli {

// Lines about a patch that was made within `memory_limit_bytes`, 0 for none.
[[nodiscard]] std::string made_text(const std::filesystem::path& patch, const Report& report, std::uint64_t memory_limit_bytes);

}  // namespace bdelta::cli
