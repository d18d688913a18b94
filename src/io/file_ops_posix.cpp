// The table of file calls for POSIX systems.
#include <fcntl.h>
#include <sys/file.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif

#include <cerrno>
#include <climits>
#include <cstdint>
#include <string>
#include <utility>

#include "io/posix_calls.hpp"

namespace bdelta::io {

namespace {

constexpr int kFirstOwnFd = 3;
constexpr std::uint64_t kBytesPerBlock = 512;  // in which st_blocks counts

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::int64_t>(time.tv_nsec);
}

}  // namespace

int fail(int error) {
  errno = error;
  return -1;
}

int above_standard(int fd) {
  if (fd < 0 || fd >= kFirstOwnFd) return fd;
  const int moved = ::fcntl(fd, F_DUPFD_CLOEXEC, kFirstOwnFd);
  const int error = errno;
  ::close(fd);
  errno = error;
  return moved;
}

int to_file_info(int result, const struct ::stat& from, FileInfo& out) {
  if (result != 0) return -1;
  out.size = static_cast<std::uint64_t>(from.st_size);
  out.allocated_bytes = static_cast<std::uint64_t>(from.st_blocks) * kBytesPerBlock;
#ifdef __APPLE__
  out.mtime_ns = nanoseconds(from.st_mtimespec);
  out.ctime_ns = nanoseconds(from.st_ctimespec);
#else
  out.mtime_ns = nanoseconds(from.st_mtim);
  out.ctime_ns = nanoseconds(from.st_ctim);
#endif
  out.device = static_cast<std::uint64_t>(from.st_dev);
  out.inode = static_cast<std::uint64_t>(from.st_ino);
  out.mode = static_cast<std::uint32_t>(from.st_mode) & 07777U;
  out.owner = static_cast<std::uint32_t>(from.st_uid);
  out.group = static_cast<std::uint32_t>(from.st_gid);
  out.device_number = static_cast<std::uint64_t>(from.st_rdev);
  out.is_regular = S_ISREG(from.st_mode);
  out.is_device = S_ISBLK(from.st_mode);
  out.is_directory = S_ISDIR(from.st_mode);
  out.is_symlink = S_ISLNK(from.st_mode);
  return 0;
}

namespace {

int open_nameless(const char* path, std::uint32_t mode) {
  const int fd = ::open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, static_cast<mode_t>(mode));
  if (fd >= 0) ::unlink(path);
  return fd;
}

// Linux gives a device with O_EXCL to one at a time, and to nobody while it is mounted.
int open_to_update(const char* path) {
  int flags = O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
#ifdef __linux__
  struct ::stat found {};
  if (::stat(path, &found) == 0 && S_ISBLK(found.st_mode)) flags |= O_EXCL;
#endif
  return ::open(path, flags);
}

int system_open(const char* path, OpenKind kind, std::uint32_t mode) {
  const auto permissions = static_cast<mode_t>(mode);
  switch (kind) {
    case OpenKind::kRead: return above_standard(::open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY));
    case OpenKind::kReadNoWait: return above_standard(::open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    case OpenKind::kWriteExisting: return above_standard(::open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY));
    case OpenKind::kUpdate: return above_standard(open_to_update(path));
    case OpenKind::kCreateNew:
      return above_standard(::open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, permissions));
    case OpenKind::kCreateNameless: return above_standard(open_nameless(path, mode));
  }
  return fail(EINVAL);
}

int system_duplicate(int standard_fd) { return ::fcntl(standard_fd, F_DUPFD_CLOEXEC, kFirstOwnFd); }

std::ptrdiff_t system_read_at(int fd, void* to, std::size_t size, std::uint64_t pos) {
  return ::pread(fd, to, size, static_cast<off_t>(pos));
}

std::ptrdiff_t system_write_at(int fd, const void* from, std::size_t size, std::uint64_t pos) {
  return ::pwrite(fd, from, size, static_cast<off_t>(pos));
}

std::ptrdiff_t system_read_soon(int fd, void* to, std::size_t size, int milliseconds) {
  ::pollfd stream{fd, POLLIN, 0};
  const int ready = ::poll(&stream, 1, milliseconds);
  if (ready == 0) return fail(EAGAIN);
  return ready < 0 ? -1 : ::read(fd, to, size);
}

int system_info(int fd, FileInfo& out) {
  struct ::stat found {};
  return to_file_info(::fstat(fd, &found), found, out);
}

int system_path_info(const char* path, FileInfo& out) {
  struct ::stat found {};
  return to_file_info(::stat(path, &found), found, out);
}

int system_link_info(const char* path, FileInfo& out) {
  struct ::stat found {};
  return to_file_info(::lstat(path, &found), found, out);
}

int system_sync(int fd) {
#ifdef F_FULLFSYNC
  if (::fcntl(fd, F_FULLFSYNC) == 0) return 0;  // fsync on macOS stops at the drive's cache
#endif
  return ::fsync(fd);
}

// Not posix_fallocate: where the file system cannot, that one writes a byte into every block.
int system_allocate([[maybe_unused]] int fd, [[maybe_unused]] std::uint64_t size) {
#ifdef __linux__
  return ::fallocate(fd, 0, 0, static_cast<off_t>(size));
#else
  return fail(EOPNOTSUPP);
#endif
}

int system_truncate(int fd, std::uint64_t size) { return ::ftruncate(fd, static_cast<off_t>(size)); }

int system_claim([[maybe_unused]] int fd, [[maybe_unused]] std::uint64_t pos, [[maybe_unused]] std::uint64_t size) {
#if defined(__linux__) && defined(FALLOC_FL_KEEP_SIZE)
  return ::fallocate(fd, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(pos), static_cast<off_t>(size));
#else
  return fail(EOPNOTSUPP);
#endif
}

int system_lock(int fd) { return ::flock(fd, LOCK_EX | LOCK_NB); }

int system_device_size(int fd, std::uint64_t& out) {
  const off_t end = ::lseek(fd, 0, SEEK_END);
  if (end < 0) return -1;
  out = static_cast<std::uint64_t>(end);
  return 0;
}

int system_find_hole([[maybe_unused]] int fd, [[maybe_unused]] std::uint64_t& pos) {
#ifdef SEEK_HOLE
  const off_t found = ::lseek(fd, 0, SEEK_HOLE);  // moves the position that reading by read_at doesn't use
  if (found < 0) return -1;
  pos = static_cast<std::uint64_t>(found);
  return 0;
#else
  return fail(EOPNOTSUPP);
#endif
}

int system_set_mode(int fd, std::uint32_t mode) { return ::fchmod(fd, static_cast<mode_t>(mode)); }
int system_set_owner(int fd, std::uint32_t owner, std::uint32_t group) { return ::fchown(fd, owner, group); }

#ifdef __linux__
int system_copy_access(const char* from, int fd) {
  constexpr const char* kName = "system.posix_acl_access";
  char list[4096];  // 500 entries; a longer one cannot be copied
  const ssize_t size = ::getxattr(from, kName, list, sizeof list);
  if (size > 0) return ::fsetxattr(fd, kName, list, static_cast<std::size_t>(size), 0);
  const auto none = [] { return errno == ENODATA || errno == EOPNOTSUPP; };
  if (size < 0 && !none()) return -1;
  return ::fremovexattr(fd, kName) == 0 || none() ? 0 : -1;
}
#else
int system_copy_access(const char*, int) { return 0; }
#endif

int system_read_link(const char* path, std::filesystem::path& target) {
  std::string text(PATH_MAX, '\0');
  const ssize_t length = ::readlink(path, text.data(), text.size());
  if (length < 0) return -1;
  text.resize(static_cast<std::size_t>(length));
  target = std::move(text);
  return 0;
}

void* system_map(int fd, std::size_t size) {
  void* at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  return at == MAP_FAILED ? nullptr : at;
}

void system_advise(void* at, std::size_t size, Access access) {
  const int advice = access == Access::kSequential ? POSIX_MADV_SEQUENTIAL
                     : access == Access::kRandom   ? POSIX_MADV_RANDOM
                                                   : POSIX_MADV_WILLNEED;
  (void)::posix_madvise(at, size, advice);
}

std::uint32_t system_user() { return static_cast<std::uint32_t>(::geteuid()); }

constexpr FileOps kSystemOps{
    .open = system_open, .duplicate = system_duplicate, .close = ::close, .read_at = system_read_at,
    .write_at = system_write_at, .write = ::write, .read_soon = system_read_soon, .info = system_info, .sync = system_sync,
    .allocate = system_allocate, .truncate = system_truncate, .claim = system_claim, .lock = system_lock,
    .device_size = system_device_size, .find_hole = system_find_hole,
    .set_mode = system_set_mode, .set_owner = system_set_owner, .copy_access = system_copy_access,
    .open_stream = system_open_stream, .set_buffer = system_set_buffer, .read_stream = system_read_stream,
    .write_stream = system_write_stream, .flush_stream = ::fflush, .close_stream = ::fclose,
    .stream_failed = system_stream_failed, .stream_ended = system_stream_ended, .clear_stream = system_clear_stream,
    .path_info = system_path_info, .link_info = system_link_info, .read_link = system_read_link,
    .rename = ::rename, .rename_new = system_rename_new, .remove = ::unlink,
    .sync_directory = system_sync_directory, .free_bytes = system_free_bytes, .is_in_memory = system_is_in_memory,
    .open_directory = system_open_directory, .open_at = system_open_at, .info_at = system_info_at, .list = system_list,
    .make_directory = system_make_directory, .make_directory_at = system_make_directory_at,
    .make_link_at = system_make_link_at, .read_link_at = system_read_link_at, .move_at = system_move_at,
    .remove_at = system_remove_at, .rename_directory = system_rename_directory,
    .remove_tree = system_remove_tree, .clone = system_clone, .copy_range = system_copy_range,
    .set_mtime = system_set_mtime, .sync_all = system_sync_all, .map = system_map,
    .unmap = ::munmap, .advise = system_advise, .random_bytes = ::getentropy,
    .user = system_user,
};

}  // namespace

const FileOps& system_ops() noexcept { return kSystemOps; }

}  // namespace bdelta::io
