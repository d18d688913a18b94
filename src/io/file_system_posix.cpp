// What file systems do for POSIX programs beyond reading and writing: names, room, copies that share blocks, times, syncing.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#endif

#include <cerrno>

#include "io/posix_calls.hpp"

namespace bdelta::io {

// link(2) refuses an existing name atomically on every POSIX system, unlike rename.
int system_rename_new(const char* from, const char* to) {
  if (::link(from, to) == 0) {
    ::unlink(from);  // the file is in place; a second name left over would do no harm
    return 0;
  }
  const bool unsupported = errno == EPERM || errno == ENOSYS || errno == EMLINK || errno == ENOTSUP;
  return fail(unsupported ? EOPNOTSUPP : errno);
}

int system_sync_directory(const char* path) {
  const int fd = ::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return -1;
  const int result = ::fsync(fd);
  const int error = errno;
  ::close(fd);
  errno = error;
  return result;
}

// No blocks at all is how file systems without a size of their own (network, fuse, proc) answer. Root may also use the
// blocks kept for it: never less than what a write would get.
int system_free_bytes(const char* directory, std::uint64_t& out) {
  struct ::statvfs found {};
  if (::statvfs(directory, &found) != 0) return -1;
  const std::uint64_t blocks = ::geteuid() == 0 ? found.f_bfree : found.f_bavail;
  const std::uint64_t block_bytes = found.f_frsize;
  const bool unknown = found.f_blocks == 0 || (block_bytes != 0 && blocks > UINT64_MAX / block_bytes);
  out = unknown ? UINT64_MAX : blocks * block_bytes;
  return 0;
}

int system_is_in_memory([[maybe_unused]] const char* directory, bool& out) {
  out = false;
#ifdef __linux__
  constexpr unsigned long kTmpfs = 0x01021994, kRamfs = 0x858458f6;  // their magic numbers
  struct ::statfs found {};
  if (::statfs(directory, &found) != 0) return -1;
  const auto magic = static_cast<unsigned long>(found.f_type) & 0xffffffffUL;
  out = magic == kTmpfs || magic == kRamfs;
#endif
  return 0;
}

int system_clone([[maybe_unused]] int from, [[maybe_unused]] int to) {
#ifdef FICLONE
  return ::ioctl(to, FICLONE, from);
#else
  return fail(EOPNOTSUPP);
#endif
}

std::ptrdiff_t system_copy_range([[maybe_unused]] int from, [[maybe_unused]] int to, [[maybe_unused]] std::uint64_t pos,
                                 [[maybe_unused]] std::size_t size) {
#if defined(__linux__) && defined(SYS_copy_file_range)
  std::int64_t from_pos = static_cast<std::int64_t>(pos), to_pos = from_pos;
  return ::syscall(SYS_copy_file_range, from, &from_pos, to, &to_pos, size, 0U);
#else
  return fail(EOPNOTSUPP);
#endif
}

int system_set_mtime(int fd, std::int64_t mtime_ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t rest = mtime_ns % kSecond < 0 ? mtime_ns % kSecond + kSecond : mtime_ns % kSecond;
  timespec times[2] = {};
  times[0].tv_nsec = UTIME_OMIT;
  times[1].tv_sec = static_cast<time_t>((mtime_ns - rest) / kSecond);
  times[1].tv_nsec = static_cast<long>(rest);
  return ::futimens(fd, times);
}

int system_sync_all([[maybe_unused]] int fd) {
#ifdef __linux__
  return ::syncfs(fd);
#else
  return fail(EOPNOTSUPP);
#endif
}

}  // namespace bdelta::io
