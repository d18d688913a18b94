// Readers and writers for files, built on the stdio layer.
//
// Every function returns an owned object or an Error that names the path. Paths are std::filesystem::path, so names
// of any bytes (and wide names on Windows) work. Objects are used by one thread at a time unless io.hpp says more.
//
//   auto source = bdelta::open_random("old.bin", {});
//   auto target = bdelta::open_output("new.bin", {});
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "bdelta/io.hpp"

namespace bdelta {

// How file bytes reach the program.
enum class IoMode : std::uint8_t {
  kStdio,  // reads and writes through buffers; an I/O error is an Error
  kMmap,   // inputs are mapped: a shuffled read of 4 KiB takes 0.46 instead of 0.91 microseconds, but an I/O error or a
           // truncation by someone else raises a signal (SIGBUS)
};

struct FileOptions {
  IoMode mode = IoMode::kStdio;

  // Bytes of buffer handed to stdio, 0 (unbuffered) to 64 MiB. Gains end at 64 KiB (tools/io_study/README.md).
  std::uint64_t buffer_bytes = 64 * 1024;

  // Outputs: sync the file and its directory before success is reported.
  bool sync = true;

  // Outputs: replace an existing file. Without it an existing output is kOutputExists.
  bool overwrite = false;

  // Outputs: where the temporary file lives; unset means the output's own directory, which is the only place from
  // which the rename is atomic on every file system. Where streams wait: see ApplyOptions and CreateOptions.
  std::optional<std::filesystem::path> temp_dir;
};

// Opens a regular file for positioned reads. Errors: kNotFound, kIsDirectory, kPermission, kNotSeekable (pipes,
// terminals), kOpenFailed.
BDELTA_PUBLIC Result<std::unique_ptr<RandomReader>> open_random(const std::filesystem::path& path,
                                                                const FileOptions& options);

// Opens a file for forward reads; "-" is standard input, a pipe or a device will do. Errors: kNotFound, kIsDirectory,
// kPermission, kOpenFailed.
BDELTA_PUBLIC Result<std::unique_ptr<SequentialReader>> open_sequential(const std::filesystem::path& path,
                                                                        const FileOptions& options);

// A file that comes into being whole or not at all: bytes go to a temporary file beside it, `finish` syncs and renames.
// Destroying it before `finish` removes the temporary file. Of a symbolic link the target is replaced. It gets the mode of the
// file it replaces, its access list (Linux), and its owner and group where that is permitted. Without the owner or the group
// the set-id bits are dropped; without the group its bits are cut to those of everybody. A new file gets what umask gives, one
// made by apply_file what umask leaves of OLD's permissions. Times are those of writing. Other extended attributes are not
// carried over. An existing output that is no regular file (a device, a fifo) is written straight through instead.
class BDELTA_PUBLIC OutputFile : public SequentialWriter {
 public:
  // Positioned writes are possible (a regular file): then `positioned` works, and size is what was written.
  [[nodiscard]] virtual PositionedWriter* positioned() noexcept = 0;

  // Tells the file system how many bytes will come, so that space is claimed once. Best effort, but too little space
  // is an error at once (kNoSpace, with the bytes needed and available where the file system tells).
  virtual Status reserve(std::uint64_t size_bytes) = 0;
};

// Errors: kOutputExists, kIsDirectory, kPermission, kNotFound (its directory), kOpenFailed; "-" is standard output.
BDELTA_PUBLIC Result<std::unique_ptr<OutputFile>> open_output(const std::filesystem::path& path,
                                                              const FileOptions& options);

// True when both paths lead to the same existing file (device and inode, or the same spelling of a new one).
[[nodiscard]] BDELTA_PUBLIC bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

// What a program that ends now leaves behind of the outputs of this process.
enum class LeftBehind : std::uint8_t {
  kNothing,  // all is as it was
  kWhole,    // an output has come into its place, or was about to: it is whole there, or as it was
  kPart,     // bytes went out through standard output, a device or a fifo, maybe not all of them
  kUnfinished,  // a file or a directory is between OLD and NEW, and its journal is there to complete that
};

// Removes temporary files of outputs not yet finished. For signal handlers of programs: async-signal-safe on POSIX.
BDELTA_PUBLIC LeftBehind remove_unfinished_outputs() noexcept;

}  // namespace bdelta
