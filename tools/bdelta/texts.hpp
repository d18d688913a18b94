// What bdelta says of patches to people.
#pragma once

#include <filesystem>
#include <string>

#include "bdelta/report.hpp"

namespace bdelta::cli {

// Lines about a patch that was made.
[[nodiscard]] std::string made_text(const std::filesystem::path& patch, const Report& report);

}  // namespace bdelta::cli
