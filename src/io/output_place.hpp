// Where an output goes: the name behind symbolic links, and what stands there now.
#pragma once

#include <filesystem>
#include <optional>

#include "bdelta/error.hpp"
#include "io/file_handle.hpp"

namespace bdelta::io {

struct OutputPlace {
  std::filesystem::path name;       // as the caller wrote it, for messages
  std::filesystem::path path;       // no symbolic link at its end; absolute unless that were too long for the system
  std::filesystem::path directory;  // of `path`, never empty
  std::optional<FileInfo> existing;
  bool is_link = false;  // the name is one, whatever it leads to
};

// kIsDirectory for a directory, kNotFound for no directory to put it in or an empty name, kOpenFailed for a circle of
// links. A link that leads nowhere is fine: its target can be created. One that leads to a pipe or a device stays the path,
// as what /dev/stdout and /dev/fd/N lead to may have no other name.
Result<OutputPlace> find_output_place(const std::filesystem::path& path);

// Makes the name durable. What cannot be synced (a directory that may not be read, some file systems) counts as done.
Status sync_directory(const OutputPlace& place);

// Keeps other processes out of the file at `place`, which is open, until it is closed. Where there are no locks, nobody is kept
// out. Errors: kInUse if another one has it, kInputChanged if another file stands there now.
Status lock_file(const FileHandle& file, const OutputPlace& place);

// kNoSpace if `directory` is known to have room for less than `size_bytes` more; `name` is the output's, for messages.
Status check_space(const std::filesystem::path& directory, std::uint64_t size_bytes,
                   const std::filesystem::path& name);

}  // namespace bdelta::io
