#include "io/file_handle.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/checked.hpp"
#include "io/file_error.hpp"
#include "io/retry_interrupted.hpp"

namespace bdelta::io {
namespace {

// Systems differ in what one call takes (2 GiB less a page, INT_MAX, 32 bits); all take this.
constexpr std::size_t kMostBytesPerCall = std::size_t{1} << 30;
constexpr int kSoonMilliseconds = 50;  // more = fewer calls for a silent stream, and who cancels waits longer

bool not_applicable(int error) noexcept {
  return error == EINVAL || error == ENOTSUP || error == EOPNOTSUPP || error == ENOSYS || error == EROFS;
}

}  // namespace

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  if (this != &other) {
    reset();
    ops_ = other.ops_;
    fd_ = other.release();
  }
  return *this;
}

int FileHandle::release() noexcept { return std::exchange(fd_, -1); }

void FileHandle::reset() noexcept {
  if (is_open()) (void)close();
}

int FileHandle::close() noexcept {
  if (ops_->close(release()) == 0 || errno == EINTR) return 0;
  return errno;
}

Result<FileHandle> open_file(const std::filesystem::path& path, OpenKind kind, std::uint32_t mode,
                             std::string_view what) {
  const FileOps& ops = file_ops();
  const int fd = retry_interrupted([&] { return ops.open(path.c_str(), kind, mode); });
  if (fd >= 0) return FileHandle(ops, fd);
  int error = errno;
  FileInfo found;  // some systems answer EACCES for a directory
  if (error == EACCES && ops.path_info(path.c_str(), found) == 0 && found.is_directory) error = EISDIR;
  return file_error(error, ErrorCode::kOpenFailed, path, what);
}

Result<FileInfo> info_of(const FileHandle& file, const std::filesystem::path& path) {
  FileInfo info;
  if (retry_interrupted([&] { return file.ops().info(file.fd(), info); }) == 0) return info;
  return file_error(errno, ErrorCode::kOpenFailed, path, "asking for size and times");
}

namespace {

Error read_error(std::uint64_t pos, const std::filesystem::path& path) {
  Error error = file_error(errno, ErrorCode::kReadFailed, path, "reading at byte " + std::to_string(pos));
  error.offset = pos;
  return error;
}

}  // namespace

Result<std::optional<std::size_t>> read_soon(const FileHandle& file, std::uint64_t pos, MutableByteSpan out,
                                             const std::filesystem::path& path, IoCounters* counters) {
  const std::size_t wanted = std::min(out.size(), kMostBytesPerCall);
  const std::ptrdiff_t got =
      retry_interrupted([&] { return file.ops().read_soon(file.fd(), out.data(), wanted, kSoonMilliseconds); });
  if (got < 0 && errno == EAGAIN) return std::optional<std::size_t>();
  if (got < 0) return read_error(pos, path);
  count_read(counters, static_cast<std::uint64_t>(got));
  return std::optional<std::size_t>(static_cast<std::size_t>(got));
}

Status read_fully(const FileHandle& file, std::uint64_t pos, MutableByteSpan out, const std::filesystem::path& path,
                  IoCounters* counters) {
  while (!out.empty()) {
    const std::size_t wanted = std::min(out.size(), kMostBytesPerCall);
    const std::ptrdiff_t got = retry_interrupted([&] { return file.ops().read_at(file.fd(), out.data(), wanted, pos); });
    if (got < 0) return read_error(pos, path);
    if (got == 0) {
      Error error = file_error(ErrorCode::kInputTruncated, path, std::to_string(out.size()) + " more bytes were expected",
                               "it became shorter while it was in use, so run again when nothing writes to it");
      error.offset = pos;
      return error;
    }
    count_read(counters, static_cast<std::uint64_t>(got));
    pos += static_cast<std::uint64_t>(got);
    out = out.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

Status write_fully(const FileHandle& file, std::uint64_t pos, ByteSpan bytes, const std::filesystem::path& path,
                   IoCounters* counters) {
  std::uint64_t end = 0;
  if (!checked_add(pos, bytes.size(), end) || end > static_cast<std::uint64_t>(INT64_MAX)) {
    Error error = file_error(ErrorCode::kFileTooLarge, path, {});
    error.offset = pos;
    return error;
  }
  while (!bytes.empty()) {
    const std::size_t offered = std::min(bytes.size(), kMostBytesPerCall);
    const std::ptrdiff_t taken = retry_interrupted([&] { return file.ops().write_at(file.fd(), bytes.data(), offered, pos); });
    if (taken <= 0) {
      const int error = taken < 0 ? errno : ENOSPC;  // 0 for a non-empty write: the device is full
      Error failure = file_error(error, ErrorCode::kWriteFailed, path);
      failure.offset = pos;
      return failure;
    }
    count_write(counters, static_cast<std::uint64_t>(taken));
    pos += static_cast<std::uint64_t>(taken);
    bytes = bytes.subspan(static_cast<std::size_t>(taken));
  }
  return {};
}

std::size_t write_patiently(const FileOps& ops, int fd, const void* from, std::size_t size) noexcept {
  const auto* const bytes = static_cast<const std::uint8_t*>(from);
  std::size_t done = 0;
  while (done < size) {
    const std::size_t offered = std::min(size - done, kMostBytesPerCall);
    const std::ptrdiff_t taken = retry_interrupted([&] { return ops.write(fd, bytes + done, offered); });
    if (taken == 0) errno = ENOSPC;  // for a non-empty write: the device is full
    if (taken <= 0) break;
    done += static_cast<std::size_t>(taken);
  }
  return done;
}

Status sync_file(const FileOps& ops, int fd, const std::filesystem::path& path) {
  if (retry_interrupted([&] { return ops.sync(fd); }) == 0 || not_applicable(errno)) return {};
  return file_error(errno, ErrorCode::kSyncFailed, path);
}

}  // namespace bdelta::io
