// Names that a file system takes for one: in another case, or in another normal form of Unicode.
#pragma once

#include <string>
#include <vector>

#include "io/directory.hpp"
#include "view/tree/manifest.hpp"

namespace bdelta {

// kUnsafeName if two names that are to be in one directory are the same to the file system. These are names of `target`, of
// which is_new(entry) tells those that come, and of `others`, paths that stay. Which are is tried in `area`, a directory of
// our own inside of `directory`; nothing is left in it.
[[nodiscard]] Status check_folding(io::Directory& directory, const std::string& area, const view::Manifest& target,
                                   const std::vector<bool>& is_new, const std::vector<std::string>& others);

}  // namespace bdelta
