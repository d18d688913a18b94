#include "io/random_file.hpp"

#include "base/checked.hpp"
#include "base/try.hpp"
#include "io/file_error.hpp"
#include "io/retry_interrupted.hpp"

namespace bdelta::io {

namespace {

constexpr const char* kRunAgain = "run again when nothing writes to it";

// Files that the system makes up as they are read, as under /proc, tell no size.
Status check_empty(const FileHandle& file, const std::filesystem::path& path) {
  std::uint8_t byte = 0;
  if (retry_interrupted([&] { return file.ops().read_at(file.fd(), &byte, 1, 0); }) < 1) return {};  // what can't be read is told when it is needed
  return file_error(ErrorCode::kNotSeekable, path, "it has bytes, though the system tells a size of 0",
                    "copy its contents to a file first");
}

}  // namespace

Result<OpenedFile> open_regular(const std::filesystem::path& path) {
  BDELTA_ASSIGN(FileHandle file, open_file(path, OpenKind::kReadNoWait, 0));
  BDELTA_ASSIGN(const FileInfo info, info_of(file, path));
  if (info.is_directory) {
    return file_error(ErrorCode::kIsDirectory, path, {});
  }
  if (!info.is_regular) {
    return file_error(ErrorCode::kNotSeekable, path, "found a pipe or a device", "copy its contents to a file first");
  }
  if (info.size == 0) BDELTA_TRY(check_empty(file, path));
  return OpenedFile{std::move(file), info};
}

Status check_same(const OpenedFile& before, const std::filesystem::path& path) {
  BDELTA_ASSIGN(const FileInfo now, info_of(before.file, path));
  if (now.size != before.info.size) {
    return file_error(ErrorCode::kInputChanged, path, "it had " + std::to_string(before.info.size) +
                                                          " bytes when it was opened and has " + std::to_string(now.size) + " now",
                      kRunAgain);
  }
  if (now.mtime_ns != before.info.mtime_ns || now.ctime_ns != before.info.ctime_ns) {
    return file_error(ErrorCode::kInputChanged, path, "its time of change is another one than when it was opened", kRunAgain);
  }
  return {};
}

Status check_range(std::uint64_t pos, std::uint64_t length, std::uint64_t size, const std::filesystem::path& path) {
  if (range_fits(pos, length, size)) return {};
  Error error = file_error(ErrorCode::kReadFailed, path,
                           std::to_string(length) + " bytes were asked for here, the file has " + std::to_string(size));
  error.offset = pos;
  return error;
}

Status RandomFile::read_at(std::uint64_t pos, MutableByteSpan out) {
  BDELTA_TRY(check_range(pos, out.size(), size(), name_));
  return read_fully(opened_.file, pos, out, name_, counters_);
}

}  // namespace bdelta::io
