// What bdelta says of patches to people.
#pragma once

#include <filesystem>
#include <string>

#include "bdelta/create.hpp"

namespace bdelta::cli {

// Lines about a patch that was made under these options.
[[nodiscard]] std::string made_text(const std::filesystem::path& patch, const Report& report, const CreateOptions& options);

// What was left out for a limit of the time to apply, and whether that was enough; nothing without such a limit.
[[nodiscard]] std::string apply_limit_note(const Report& report, double limit_seconds);

// A line where much of NEW stayed packed, and why; else nothing.
[[nodiscard]] std::string packed_note(const Report& report);

}  // namespace bdelta::cli
