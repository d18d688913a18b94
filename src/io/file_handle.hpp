// An owned descriptor and the loops around calls that move bytes: EINTR, short counts, sizes that one call can't take.
#pragma once

#include <filesystem>
#include <optional>

#include "bdelta/io.hpp"
#include "io/counters.hpp"
#include "io/file_ops.hpp"

namespace bdelta::io {

class FileHandle {
 public:
  FileHandle() = default;
  FileHandle(const FileOps& ops, int fd) noexcept : ops_(&ops), fd_(fd) {}
  FileHandle(FileHandle&& other) noexcept : ops_(other.ops_), fd_(other.release()) {}
  FileHandle& operator=(FileHandle&& other) noexcept;
  ~FileHandle() { reset(); }

  [[nodiscard]] bool is_open() const noexcept { return fd_ >= 0; }
  [[nodiscard]] int fd() const noexcept { return fd_; }
  [[nodiscard]] const FileOps& ops() const noexcept { return *ops_; }

  int release() noexcept;

  // Closes and drops any error: for reading, and after a failure that is reported already.
  void reset() noexcept;

  // Closes and gives 0 or the errno. EINTR counts as closed, which it is wherever it matters, and must not be retried.
  [[nodiscard]] int close() noexcept;

 private:
  const FileOps* ops_ = nullptr;
  int fd_ = -1;
};

// Opens with retries after EINTR. `what` is the purpose for the message, e.g. "for writing"; reading needs none.
Result<FileHandle> open_file(const std::filesystem::path& path, OpenKind kind, std::uint32_t mode,
                             std::string_view what = {});

Result<FileInfo> info_of(const FileHandle& file, const std::filesystem::path& path);

// Reads exactly out.size() bytes; the end of the file in the middle is kInputTruncated.
Status read_fully(const FileHandle& file, std::uint64_t pos, MutableByteSpan out, const std::filesystem::path& path,
                  IoCounters* counters);

// What a stream has of its next bytes: 0 at its end, nothing where none have come within 50 ms. `pos` is how many came
// before, for messages.
Result<std::optional<std::size_t>> read_soon(const FileHandle& file, std::uint64_t pos, MutableByteSpan out,
                                             const std::filesystem::path& path, IoCounters* counters);

Status write_fully(const FileHandle& file, std::uint64_t pos, ByteSpan bytes, const std::filesystem::path& path,
                   IoCounters* counters);

// Writes behind what was written last. The count is less than `size` after an error alone, which errno says then.
std::size_t write_patiently(const FileOps& ops, int fd, const void* from, std::size_t size) noexcept;

// Makes the bytes durable; file systems and devices that know no such thing count as done.
Status sync_file(const FileOps& ops, int fd, const std::filesystem::path& path);

}  // namespace bdelta::io
