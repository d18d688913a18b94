#include "io/output_place.hpp"

#include <cerrno>
#include <system_error>

#include "base/try.hpp"
#include "io/file_error.hpp"

namespace bdelta::io {
namespace {

constexpr int kMostLinks = 40;  // as Linux: more means a circle

// Absolute, so that a change of the working directory before `finish` does no harm. A working directory that cannot
// be named leaves the path as it is.
std::filesystem::path absolute_or_same(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute;
}

// What `path` itself is, links not followed; nothing where it does not exist.
Result<std::optional<FileInfo>> look(const std::filesystem::path& path, const std::filesystem::path& name) {
  FileInfo info;
  while (file_ops().link_info(path.c_str(), info) != 0) {
    if (errno == ENOENT) return std::optional<FileInfo>{};
    if (errno != EINTR) return file_error(errno, ErrorCode::kOpenFailed, name, "cannot look at the output");
  }
  return std::optional<FileInfo>{info};
}

}  // namespace

Result<OutputPlace> find_output_place(const std::filesystem::path& path) {
  if (path.empty()) return Error{ErrorCode::kNotFound, "the name of the output is empty."};
  OutputPlace place{path, absolute_or_same(path), {}, {}};
  for (int links = 0; links <= kMostLinks; ++links) {
    BDELTA_ASSIGN(place.existing, look(place.path, path));
    if (!place.existing || !place.existing->is_symlink) {
      if (place.existing ? place.existing->is_directory : !place.path.has_filename()) {
        return Error{ErrorCode::kIsDirectory, shown(path) + ": expected the name of a file, found a directory's."};
      }
      place.directory = place.path.parent_path();
      return place;
    }
    std::filesystem::path target;
    if (file_ops().read_link(place.path.c_str(), target) != 0) {
      if (errno == EINTR) continue;
      return file_error(errno, ErrorCode::kOpenFailed, path, "cannot follow the symbolic link");
    }
    place.path = place.path.parent_path() / target;  // an absolute target replaces the whole
  }
  return Error{ErrorCode::kOpenFailed, shown(path) + ": too many symbolic links, probably a circle."};
}

}  // namespace bdelta::io
