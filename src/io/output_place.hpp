// Where an output goes: the name behind symbolic links, and what stands there now.
#pragma once

#include <filesystem>
#include <optional>

#include "bdelta/error.hpp"
#include "io/file_ops.hpp"

namespace bdelta::io {

struct OutputPlace {
  std::filesystem::path name;       // as the caller wrote it, for messages
  std::filesystem::path path;       // absolute, and no symbolic link at its end
  std::filesystem::path directory;  // of `path`
  std::optional<FileInfo> existing;
};

// kIsDirectory for a directory, kNotFound for no directory to put it in or an empty name, kOpenFailed for a circle of
// links. A link that leads nowhere is fine: its target will be created.
Result<OutputPlace> find_output_place(const std::filesystem::path& path);

}  // namespace bdelta::io
