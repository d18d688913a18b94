// Whether a call is about two files or about two directories.
#pragma once

#include <filesystem>

#include "bdelta/error.hpp"

namespace bdelta::cli {

// True if OLD and NEW are directories, or the one of them that is there. kUsage for one of each kind. An empty path stands for
// an argument that is missing.
[[nodiscard]] Result<bool> are_trees(const std::filesystem::path& source, const std::filesystem::path& target);

}  // namespace bdelta::cli
