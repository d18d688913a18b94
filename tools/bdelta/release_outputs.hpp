// The folder that a release goes to, before the work begins.
#pragma once

#include <filesystem>
#include <vector>

#include "bdelta/error.hpp"

namespace bdelta::cli {

// As it is where the working directory is gone.
[[nodiscard]] std::filesystem::path absolute_path(const std::filesystem::path& path);

// False also for a name whose folder does not exist.
[[nodiscard]] Result<bool> name_is_taken(const std::filesystem::path& path);

// kSamePath where one of the outputs is an input; kOutputExists, with their names, where any exist and may not be replaced.
[[nodiscard]] Status check_outputs(const std::vector<std::filesystem::path>& outputs,
                                   const std::vector<std::filesystem::path>& inputs, bool may_replace);

// Makes it where it is missing; its parent has to exist. `sync`: durable when this returns.
[[nodiscard]] Status make_directory(const std::filesystem::path& directory, bool sync);

}  // namespace bdelta::cli
