// Owner, access list and permissions of a file that takes the place of another.
#pragma once

#include <filesystem>

#include "io/file_ops.hpp"

namespace bdelta::io {

struct GivenMode {
  std::uint32_t mode = 0;
  bool is_fixed = false;  // the caller wants these bits, whatever can be kept besides
};

// Gives `fd` what `old` has, a file at `old_path`, as far as that is possible; null: the mode alone. Never fails, as file
// systems without owners or modes are no reason to. Set-id bits go to a file that has kept its owner and group alone.
void give_attributes(const FileOps& ops, int fd, const FileInfo* old, const std::filesystem::path& old_path, GivenMode mode) noexcept;

}  // namespace bdelta::io
