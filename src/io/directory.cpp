#include "io/directory.hpp"

#include <algorithm>
#include <cerrno>

#include "base/try.hpp"
#include "io/file_error.hpp"
#include "io/retry_interrupted.hpp"

namespace bdelta::io {

Result<std::unique_ptr<Directory>> Directory::open(const std::filesystem::path& path) {
  const FileOps& ops = file_ops();
  const int fd = retry_interrupted([&] { return ops.open_directory(path.c_str()); });
  if (fd >= 0) return std::unique_ptr<Directory>(new Directory(path, FileHandle(ops, fd)));
  if (errno == ENOTDIR) return file_error(ErrorCode::kNotADirectory, path, {});
  return file_error(errno, ErrorCode::kOpenFailed, path, "as a directory");
}

std::filesystem::path Directory::name_of(std::string_view path) const {
  return path.empty() ? name_ : name_ / std::filesystem::path(std::string(path));
}

Error Directory::error_at(std::string_view path, std::string_view what) const {
  // A directory or a file that turned into something else.
  if (errno == ELOOP || errno == ENOTDIR) {
    return file_error(ErrorCode::kInputChanged, name_of(path), "it or a directory above it is another kind of entry now",
                      "run again when nothing writes to it");
  }
  if (errno == EEXIST) {
    return file_error(ErrorCode::kUnsafeName, name_of(path),
                      "another entry has this name already, as this file system takes both names for the same");
  }
  return file_error(errno, ErrorCode::kOpenFailed, name_of(path), what);
}

// One that leads there as far as any does. If it leads elsewhere behind that, another one is given up for it.
Directory::Trail& Directory::trail_for(std::string_view directories) {
  const auto common_count = [&](const Trail& trail) {
    std::size_t count = 0, begin = 0;
    for (const Pass& pass : trail.passes) {
      const std::size_t end = begin + pass.part.size();
      if (directories.size() <= end || directories[end] != '/') break;
      if (directories.compare(begin, pass.part.size(), pass.part) != 0) break;
      begin = end + 1;
      ++count;
    }
    return count;
  };
  Trail* best = &trails_[0];
  Trail* oldest = &trails_[0];
  for (Trail& trail : trails_) {
    if (common_count(trail) > common_count(*best)) best = &trail;
    if (trail.last_use < oldest->last_use) oldest = &trail;
  }
  const std::size_t count = common_count(*best);
  if (count < best->passes.size()) {
    oldest->passes = std::vector<Pass>(best->passes.begin(), best->passes.begin() + static_cast<std::ptrdiff_t>(count));
    best = oldest;
  }
  best->last_use = ++use_count_;
  return *best;
}

// Of the path that they are, with a `/` behind each part.
std::size_t Directory::length_of(const std::vector<Pass>& passes) noexcept {
  std::size_t length = 0;
  for (const Pass& pass : passes) length += pass.part.size() + 1;
  return length;
}

Result<Directory::Place> Directory::place_of(std::string_view path) {
  const std::lock_guard lock(mutex_);
  std::vector<Pass>& passes = trail_for(path.substr(0, path.rfind('/') + 1)).passes;
  std::size_t begin = length_of(passes);
  for (std::size_t end = path.find('/', begin); end != path.npos; begin = end + 1, end = path.find('/', begin)) {
    const int above = passes.empty() ? root_.fd() : passes.back().handle->fd();
    std::string name(path.substr(begin, end - begin));
    const auto open = [&] { return root_.ops().open_at(above, name.c_str(), OpenAtKind::kPass, 0); };
    int fd = retry_interrupted(open);
    if (fd < 0 && errno == EMFILE) {  // deep trees: the other trails hold descriptors
      for (Trail& trail : trails_) {
        if (&trail.passes != &passes) trail.passes.clear();
      }
      fd = retry_interrupted(open);
    }
    if (fd < 0) return error_at(path.substr(0, end), "on the way to what is in it");
    passes.push_back({std::move(name), std::make_shared<FileHandle>(root_.ops(), fd)});
  }
  std::shared_ptr<FileHandle> held = passes.empty() ? nullptr : passes.back().handle;
  const int fd = held ? held->fd() : root_.fd();
  const std::string_view name = path.substr(begin);
  return Place{std::move(held), fd, name.empty() ? "." : std::string(name)};
}

Result<FileHandle> Directory::open_entry(std::string_view path, OpenAtKind kind, std::uint32_t mode) {
  BDELTA_ASSIGN(const Place place, place_of(path));
  const int fd = retry_interrupted([&] { return root_.ops().open_at(place.directory, place.name.c_str(), kind, mode); });
  if (fd >= 0) return FileHandle(root_.ops(), fd);
  return error_at(path, kind == OpenAtKind::kCreateNew ? "for writing" : "");
}

Result<FileInfo> Directory::info(std::string_view path) {
  BDELTA_ASSIGN(const Place place, place_of(path));
  FileInfo info;
  if (retry_interrupted([&] { return root_.ops().info_at(place.directory, place.name.c_str(), info); }) == 0) return info;
  return error_at(path, "asking for size and times");
}

Result<std::string> Directory::read_link(std::string_view path) {
  BDELTA_ASSIGN(const Place place, place_of(path));
  std::string target;
  if (retry_interrupted([&] { return root_.ops().read_link_at(place.directory, place.name.c_str(), target); }) == 0) return target;
  return error_at(path, "reading the link");
}

Status Directory::make_directory(std::string_view path, std::uint32_t mode) {
  BDELTA_ASSIGN(const Place place, place_of(path));
  if (retry_interrupted([&] { return root_.ops().make_directory_at(place.directory, place.name.c_str(), mode); }) == 0) return {};
  return error_at(path, "making the directory");
}

Status Directory::make_link(std::string_view path, const std::string& target) {
  BDELTA_ASSIGN(const Place place, place_of(path));
  if (retry_interrupted([&] { return root_.ops().make_link_at(place.directory, place.name.c_str(), target.c_str()); }) == 0) return {};
  return error_at(path, "making the link");
}

Result<std::optional<FileInfo>> Directory::find(std::string_view path) {
  auto found = info(path);
  if (found) return std::optional<FileInfo>(*found);
  // Of what is in no directory any more nothing is there either.
  const ErrorCode code = found.error().code;
  if (code == ErrorCode::kNotFound || code == ErrorCode::kInputChanged) return std::optional<FileInfo>();
  return std::move(found).error();
}

Status Directory::move(std::string_view from, std::string_view to) {
  BDELTA_ASSIGN(const Place source, place_of(from));
  BDELTA_ASSIGN(const Place target, place_of(to));
  const auto move = [&] {
    return root_.ops().move_at(source.directory, source.name.c_str(), target.directory, target.name.c_str());
  };
  if (retry_interrupted(move) != 0) return error_at(errno == EEXIST ? to : from, "moving it");
  forget_trails();
  return {};
}

Status Directory::change_mode(std::string_view path, std::uint32_t keep, std::uint32_t add) {
  BDELTA_ASSIGN(const FileHandle directory, open_entry(path, OpenAtKind::kDirectory));
  BDELTA_ASSIGN(const FileInfo found, info_of(directory, name_of(path)));
  const std::uint32_t mode = (found.mode & keep) | add;
  if (mode == found.mode) return {};
  if (retry_interrupted([&] { return directory.ops().set_mode(directory.fd(), mode); }) == 0) return {};
  return file_error(errno, ErrorCode::kWriteFailed, name_of(path), "setting its permissions");
}

Status Directory::sync(std::string_view path) {
  BDELTA_ASSIGN(const FileHandle directory, open_entry(path, OpenAtKind::kDirectory));
  return sync_file(directory.ops(), directory.fd(), name_of(path));
}

Status Directory::sync_all(const std::filesystem::path& name) const {
  if (retry_interrupted([&] { return root_.ops().sync_all(root_.fd()); }) == 0) return {};
  if (errno == EOPNOTSUPP || errno == ENOSYS) return {};
  return file_error(errno, ErrorCode::kSyncFailed, name, "syncing its file system");
}

Status Directory::remove(std::string_view path, bool is_directory) {
  BDELTA_ASSIGN(const Place place, place_of(path));
  if (retry_interrupted([&] { return root_.ops().remove_at(place.directory, place.name.c_str(), is_directory); }) != 0) {
    return error_at(path, "removing it");
  }
  forget_trails();
  return {};
}

Status Directory::remove_tree(std::string_view path) {
  const int result = root_.ops().remove_tree(name_of(path).c_str());
  const int error = errno;
  forget_trails();
  return result == 0 ? Status() : Status(file_error(error, ErrorCode::kWriteFailed, name_of(path), "removing it"));
}

// They may lead through what has moved or gone.
void Directory::forget_trails() {
  const std::lock_guard lock(mutex_);
  for (Trail& trail : trails_) trail.passes.clear();
}

Result<std::vector<std::string>> Directory::names_in(std::string_view path) {
  BDELTA_ASSIGN(FileHandle directory, open_entry(path, OpenAtKind::kDirectory));
  std::vector<std::string> names;
  const int result = retry_interrupted([&] {
    names.clear();
    return directory.ops().list(directory.fd(), names);
  });
  if (result != 0) return file_error(errno, ErrorCode::kReadFailed, name_of(path), "listing the directory");
  std::sort(names.begin(), names.end());
  keep_on_trail(path, std::move(directory));
  return names;
}

// What is asked for next is often in it.
void Directory::keep_on_trail(std::string_view path, FileHandle directory) {
  if (path.empty()) return;
  const std::lock_guard lock(mutex_);
  std::vector<Pass>& passes = trail_for(std::string(path) + '/').passes;
  const std::size_t begin = length_of(passes);
  if (begin > path.size() || path.find('/', begin) != path.npos) return;  // it is there, or the way to it was given up
  passes.push_back({std::string(path.substr(begin)), std::make_shared<FileHandle>(std::move(directory))});
}

}  // namespace bdelta::io
