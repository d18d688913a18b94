// Calls about directories: which they are, and what is asked of their arguments.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>

#include "bdelta/error.hpp"

namespace bdelta::python {

using MaybePath = std::optional<std::filesystem::path>;

// Whether a call is about directories: those of `versions` (OLD and NEW, nothing for one that is no path) that are there are
// directories. kUsage for one directory and one file, and for files where options of directories were given. kIsDirectory
// where `patch` is no path: the library takes the patch of directories by name. An empty path: the patch is pushed.
[[nodiscard]] Result<bool> are_trees(std::initializer_list<const MaybePath*> versions, const MaybePath& patch,
                                     bool has_tree_options);

// kUsage: what is asked for belongs to directories.
[[nodiscard]] Error for_trees_alone();

}  // namespace bdelta::python
