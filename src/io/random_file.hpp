// Positioned reading of a regular file by calls.
#pragma once

#include <filesystem>
#include <memory>

#include "bdelta/io.hpp"
#include "io/counters.hpp"
#include "io/file_handle.hpp"

namespace bdelta::io {

// A regular file and what it looked like when it was opened.
struct OpenedFile {
  FileHandle file;
  FileInfo info;
};

// kIsDirectory, kNotSeekable for what is neither file nor directory, and the errors of opening.
Result<OpenedFile> open_regular(const std::filesystem::path& path);

// kInputChanged if size or times differ from `before`. Only the open file counts, not its name: a program that
// replaces OLD by NEW takes the name away while it still reads.
Status check_same(const OpenedFile& before, const std::filesystem::path& path);

// kReadFailed unless [pos, pos + length) lies inside the `size` bytes of the file.
Status check_range(std::uint64_t pos, std::uint64_t length, std::uint64_t size, const std::filesystem::path& path);

// No buffer and no position, hence safe from any number of threads; callers read in large pieces.
class RandomFile final : public RandomReader {
 public:
  RandomFile(OpenedFile opened, std::filesystem::path name, IoCounters* counters)
      : opened_(std::move(opened)), name_(std::move(name)), counters_(counters) {}

  [[nodiscard]] std::uint64_t size() const noexcept override { return opened_.info.size; }
  Status read_at(std::uint64_t pos, MutableByteSpan out) override;
  Status check_unchanged() override { return check_same(opened_, name_); }

 private:
  OpenedFile opened_;
  std::filesystem::path name_;
  IoCounters* counters_;
};

}  // namespace bdelta::io
