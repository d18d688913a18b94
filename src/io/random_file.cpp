#include "io/random_file.hpp"

#include "base/checked.hpp"
#include "base/try.hpp"
#include "io/file_error.hpp"

namespace bdelta::io {

Result<OpenedFile> open_regular(const std::filesystem::path& path) {
  BDELTA_ASSIGN(FileHandle file, open_file(path, OpenKind::kReadNoWait, 0, "cannot open for reading"));
  BDELTA_ASSIGN(const FileInfo info, info_of(file, path));
  if (info.is_directory) {
    return Error{ErrorCode::kIsDirectory, shown(path) + ": expected a file, found a directory. Name a file in it."};
  }
  if (!info.is_regular) {
    return Error{ErrorCode::kNotSeekable, shown(path) +
                                              ": expected a regular file, found a pipe or a device. Copy its "
                                              "contents to a file first."};
  }
  return OpenedFile{std::move(file), info};
}

Status check_same(const OpenedFile& before, const std::filesystem::path& path) {
  BDELTA_ASSIGN(const FileInfo now, info_of(before.file, path));
  if (now.size != before.info.size) {
    return Error{ErrorCode::kInputChanged, shown(path) + ": had " + std::to_string(before.info.size) +
                                               " bytes when it was opened and has " + std::to_string(now.size) +
                                               " now. Run again when nothing writes to it."};
  }
  if (now.mtime_ns != before.info.mtime_ns || now.ctime_ns != before.info.ctime_ns) {
    return Error{ErrorCode::kInputChanged,
                 shown(path) + ": was changed after it was opened. Run again when nothing writes to it."};
  }
  return {};
}

Status check_range(std::uint64_t pos, std::uint64_t length, std::uint64_t size, const std::filesystem::path& path) {
  if (range_fits(pos, length, size)) return {};
  return Error{ErrorCode::kReadFailed,
               shown(path) + ": asked for " + std::to_string(length) + " bytes here, but the file has " +
                   std::to_string(size) + ".",
               pos};
}

Status RandomFile::read_at(std::uint64_t pos, MutableByteSpan out) {
  BDELTA_TRY(check_range(pos, out.size(), size(), name_));
  return read_fully(opened_.file, pos, out, name_, counters_);
}

}  // namespace bdelta::io
