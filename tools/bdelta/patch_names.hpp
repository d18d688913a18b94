// What the patches of a release are called.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bdelta/error.hpp"

namespace bdelta::cli {

// The names of the patches from each of `sources` to `target`, in their order: OLD--NEW.bdelta with the last parts of
// both paths. Where several sources have the same last part, folders of theirs stand in front, from the outermost to the
// innermost. These are folders that are not the same in all of them, as few as tell the names apart:
// 1.0-app--app.bdelta.
//
// Paths are absolute. In names, everything but letters, digits, characters beyond ASCII and . _ - + ~ @ becomes _; bytes
// that are no UTF-8 become _xNN. Names that differ in the case of ASCII letters alone count as the same, since on some file
// systems they are.
// kUsage where two names stay the same.
[[nodiscard]] Result<std::vector<std::string>> patch_names(const std::vector<std::filesystem::path>& sources,
                                                           const std::filesystem::path& target);

}  // namespace bdelta::cli
