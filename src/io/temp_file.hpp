// Temporary files with names that nobody can guess.
#pragma once

#include <filesystem>

#include "io/file_handle.hpp"
#include "io/unfinished_outputs.hpp"

namespace bdelta::io {

struct NamedFile {
  FileHandle file;
  std::filesystem::path path;
  UnfinishedName unfinished;  // of no name where the file has lost its own
};

// A name in `directory` that nobody can guess, for what is temporary.
Result<std::filesystem::path> unpredictable_name(const std::filesystem::path& directory);

// Creates a file with a random name in `directory`; never opens one that exists.
Result<NamedFile> create_unpredictable(const std::filesystem::path& directory, OpenKind kind, std::uint32_t mode);

// A temporary file that is removed when the object dies, or by remove_unfinished_outputs, unless it was kept.
class TempFile {
 public:
  TempFile() = default;
  TempFile(TempFile&& other) noexcept;
  TempFile& operator=(TempFile&& other) noexcept;
  ~TempFile() { remove(); }

  // `mode` as for open(2), umask applies.
  static Result<TempFile> create(const std::filesystem::path& directory, std::uint32_t mode);

  [[nodiscard]] FileHandle& file() noexcept { return file_; }  // may be moved out; the name stays here
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

  // The file has another name now: nothing is left to remove.
  void keep() noexcept;

  void remove() noexcept;

 private:
  FileHandle file_;
  std::filesystem::path path_;  // empty: nothing to remove
  UnfinishedName unfinished_;
};

}  // namespace bdelta::io
