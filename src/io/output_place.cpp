#include "io/output_place.hpp"

#include <cerrno>
#include <climits>
#include <system_error>

#include "base/try.hpp"
#include "io/file_error.hpp"
#include "io/retry_interrupted.hpp"

namespace bdelta::io {
namespace {

constexpr int kMostLinks = 40;  // as Linux: more means a circle

#ifdef PATH_MAX
constexpr std::size_t kLongestPath = PATH_MAX;
#else
constexpr std::size_t kLongestPath = 32767;
#endif
constexpr std::size_t kTempNameRoom = 32;  // a temporary file has to fit beside the output

// Absolute, so that a change of the working directory before `finish` does no harm. A working directory that cannot
// be named, or is too deep for the absolute path to be one, leaves the path as it is.
std::filesystem::path absolute_or_same(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error || absolute.native().size() + kTempNameRoom > kLongestPath ? path : absolute;
}

// What `path` itself is, links not followed; nothing where it does not exist.
Result<std::optional<FileInfo>> look(const std::filesystem::path& path, const std::filesystem::path& name) {
  FileInfo info;
  if (retry_interrupted([&] { return file_ops().link_info(path.c_str(), info); }) == 0) return std::optional<FileInfo>{info};
  if (errno == ENOENT) return std::optional<FileInfo>{};
  return file_error(errno, ErrorCode::kOpenFailed, name, "looking at the output");
}

// What a link leads to in the end, if that is a pipe or a device.
std::optional<FileInfo> stream_behind(const std::filesystem::path& link) {
  FileInfo info;
  if (retry_interrupted([&] { return file_ops().path_info(link.c_str(), info); }) != 0) return {};
  return info.is_regular || info.is_directory ? std::nullopt : std::optional(info);
}

}  // namespace

Result<OutputPlace> find_output_place(const std::filesystem::path& path) {
  if (path.empty()) return Error{ErrorCode::kNotFound, "the name of the output is empty"};
  OutputPlace place{path, absolute_or_same(path), {}, {}, false};
  for (int links = 0; links <= kMostLinks; ++links) {
    BDELTA_ASSIGN(place.existing, look(place.path, path));
    if (place.existing && place.existing->is_symlink) {
      place.is_link = true;
      if (std::optional<FileInfo> stream = stream_behind(place.path)) place.existing = *stream;
    }
    if (!place.existing || !place.existing->is_symlink) {
      if (place.existing ? place.existing->is_directory : !place.path.has_filename()) {
        return file_error(ErrorCode::kIsDirectory, path, {});
      }
      place.directory = place.path.parent_path();
      if (place.directory.empty()) place.directory = ".";
      return place;
    }
    std::filesystem::path target;
    if (retry_interrupted([&] { return file_ops().read_link(place.path.c_str(), target); }) != 0) {
      return file_error(errno, ErrorCode::kOpenFailed, path, "following the symbolic link");
    }
    place.path = place.path.parent_path() / target;  // an absolute target replaces the whole
  }
  return file_error(ErrorCode::kOpenFailed, path, "too many symbolic links, probably a circle");
}

Status sync_directory(const OutputPlace& place) {
  if (retry_interrupted([&] { return file_ops().sync_directory(place.directory.c_str()); }) == 0) return {};
  if (errno != EIO && code_of(errno, ErrorCode::kSyncFailed) != ErrorCode::kNoSpace) return {};
  return file_error(errno, ErrorCode::kSyncFailed, place.name,
                    "the output is complete and in place, but its name may not be");
}

Status lock_file(const FileHandle& file, const OutputPlace& place) {
  if (retry_interrupted([&] { return file.ops().lock(file.fd()); }) != 0 && errno == EWOULDBLOCK) {
    return file_error(ErrorCode::kInUse, place.name, {}, "run again when that has ended");
  }
  BDELTA_ASSIGN(const FileInfo opened, info_of(file, place.name));
  FileInfo now;
  if (retry_interrupted([&] { return file.ops().path_info(place.path.c_str(), now); }) != 0 && errno != ENOENT) {
    return file_error(errno, ErrorCode::kOpenFailed, place.name, "looking at it again");
  }
  if (now.inode == opened.inode && now.device == opened.device) return {};
  return file_error(ErrorCode::kInputChanged, place.name, "another file has taken its name", "run again");
}

Status check_space(const std::filesystem::path& directory, std::uint64_t size_bytes,
                   const std::filesystem::path& name) {
  std::uint64_t available = 0;
  const bool is_known = retry_interrupted([&] { return file_ops().free_bytes(directory.c_str(), available); }) == 0;
  if (!is_known || available >= size_bytes) return {};
  return file_error(ErrorCode::kNoSpace, name,
                    "it needs " + std::to_string(size_bytes) + " bytes, but only " + std::to_string(available) +
                        " are available in " + shown(directory));
}

}  // namespace bdelta::io
