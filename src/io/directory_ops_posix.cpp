// The calls of POSIX systems that go through directories and make them.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <new>

#include "io/posix_calls.hpp"

namespace bdelta::io {
namespace {

bool is_dot_name(const char* name) noexcept {
  return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

#if defined(__linux__) && defined(SYS_getdents64)
// As the system gives it.
struct RawEntry {
  std::uint64_t inode;
  std::int64_t next;
  unsigned short length;
  unsigned char type;
  char name[1];
};

// Calls `visit` with each name in a directory, from the first one on. False for an error, which errno has. Takes no memory.
template <std::size_t kBytes, typename Visit>
bool for_each_name(int directory, char (&buffer)[kBytes], const Visit& visit) {
  if (::lseek(directory, 0, SEEK_SET) < 0) return false;
  for (;;) {
    const long count = ::syscall(SYS_getdents64, directory, buffer, kBytes);
    if (count <= 0) return count == 0;
    for (long at = 0; at < count;) {
      const char* const entry = buffer + at;
      unsigned short length = 0;
      __builtin_memcpy(&length, entry + offsetof(RawEntry, length), sizeof length);
      const char* const name = entry + offsetof(RawEntry, name);
      at += length;
      if (!is_dot_name(name)) visit(name);
    }
  }
}
#endif

}  // namespace

int system_open_directory(const char* path) { return above_standard(::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)); }

int system_open_at(int directory, const char* name, OpenAtKind kind, std::uint32_t mode) {
#ifdef O_PATH
  constexpr int kPassFlags = O_PATH;
#else
  constexpr int kPassFlags = O_RDONLY;
#endif
  constexpr int kAlways = O_CLOEXEC | O_NOFOLLOW;
  switch (kind) {
    case OpenAtKind::kPass: return above_standard(::openat(directory, name, kPassFlags | O_DIRECTORY | kAlways));
    case OpenAtKind::kDirectory: return above_standard(::openat(directory, name, O_RDONLY | O_DIRECTORY | kAlways));
    case OpenAtKind::kRead: return above_standard(::openat(directory, name, O_RDONLY | O_NOCTTY | O_NONBLOCK | kAlways));
    case OpenAtKind::kCreateNew:
      return above_standard(::openat(directory, name, O_RDWR | O_CREAT | O_EXCL | kAlways, static_cast<mode_t>(mode)));
    case OpenAtKind::kUpdate: return above_standard(::openat(directory, name, O_RDWR | O_NOCTTY | O_NONBLOCK | kAlways));
  }
  return fail(EINVAL);
}

int system_info_at(int directory, const char* name, FileInfo& out) {
  struct ::stat found {};
  return to_file_info(::fstatat(directory, name, &found, AT_SYMLINK_NOFOLLOW), found, out);
}

#if defined(__linux__) && defined(SYS_getdents64)
// readdir(3) takes a descriptor of its own for each directory, and memory, which a signal handler may not.
int system_list(int directory, std::vector<std::string>& names) {
  alignas(RawEntry) char buffer[std::size_t{32} << 10];
  return for_each_name(directory, buffer, [&](const char* name) { names.emplace_back(name); }) ? 0 : -1;
}
#else
int system_list(int directory, std::vector<std::string>& names) {
  const int copy = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);  // has a position of its own
  if (copy < 0) return -1;
  ::DIR* const opened = ::fdopendir(copy);
  if (opened == nullptr) {
    const int error = errno;
    ::close(copy);
    return fail(error);
  }
  const std::unique_ptr<::DIR, int (*)(::DIR*)> stream(opened, ::closedir);
  for (;;) {
    errno = 0;
    const ::dirent* const entry = ::readdir(stream.get());
    if (entry == nullptr) return errno == 0 ? 0 : -1;
    if (!is_dot_name(entry->d_name)) names.emplace_back(entry->d_name);
  }
}
#endif

int system_make_directory(const char* path, std::uint32_t mode) { return ::mkdir(path, static_cast<mode_t>(mode)); }

int system_make_directory_at(int directory, const char* name, std::uint32_t mode) {
  return ::mkdirat(directory, name, static_cast<mode_t>(mode));
}

int system_make_link_at(int directory, const char* name, const char* target) { return ::symlinkat(target, directory, name); }

int system_read_link_at(int directory, const char* name, std::string& target) {
  std::string text(PATH_MAX, '\0');
  const ssize_t length = ::readlinkat(directory, name, text.data(), text.size());
  if (length < 0) return -1;
  text.resize(static_cast<std::size_t>(length));
  target = std::move(text);
  return 0;
}

// rename(2) alone would replace what is there.
int system_move_at(int from_directory, const char* from, int to_directory, const char* to) {
#if defined(__linux__) && defined(SYS_renameat2)
  constexpr unsigned kNoReplace = 1;  // RENAME_NOREPLACE, which not all headers have
  if (::syscall(SYS_renameat2, from_directory, from, to_directory, to, kNoReplace) == 0) return 0;
  if (errno != ENOSYS && errno != EINVAL) return -1;
#endif
  struct ::stat found {};
  if (::fstatat(to_directory, to, &found, AT_SYMLINK_NOFOLLOW) == 0) return fail(EEXIST);
  return ::renameat(from_directory, from, to_directory, to);
}

int system_rename_directory(const char* from, const char* to) { return system_move_at(AT_FDCWD, from, AT_FDCWD, to); }

int system_remove_at(int directory, const char* name, bool is_directory) {
  return ::unlinkat(directory, name, is_directory ? AT_REMOVEDIR : 0);
}

namespace {

bool remove_entries(int directory) noexcept;

// A directory may have bits that keep its owner out.
bool remove_entry(int directory, const char* name) noexcept {
  if (::unlinkat(directory, name, 0) == 0) return true;
  if (errno != EISDIR && errno != EPERM) return false;
  (void)::fchmodat(directory, name, S_IRWXU, 0);
  const int inner = ::openat(directory, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (inner < 0) return false;
  const bool is_empty = remove_entries(inner);
  ::close(inner);
  return is_empty && ::unlinkat(directory, name, AT_REMOVEDIR) == 0;
}

#if defined(__linux__) && defined(SYS_getdents64)
// Entries may be passed over while others go, so it is gone through until nothing is left or nothing goes any more.
bool remove_entries(int directory) noexcept {
  alignas(RawEntry) char buffer[1024];
  for (;;) {
    bool has_left = false, has_gone = false;
    const bool is_read = for_each_name(
        directory, buffer, [&](const char* name) { (remove_entry(directory, name) ? has_gone : has_left) = true; });
    if (!is_read) return false;
    if (!has_gone) return !has_left;
  }
}
#else
bool remove_entries(int directory) noexcept {
  try {
    std::vector<std::string> names;
    if (system_list(directory, names) != 0) return false;
    bool is_empty = true;
    for (const std::string& name : names) is_empty = remove_entry(directory, name.c_str()) && is_empty;
    return is_empty;
  } catch (const std::bad_alloc&) {
    return false;
  }
}
#endif

}  // namespace

// Another thread may still be making entries when a signal handler comes here.
int system_remove_tree(const char* path) {
  constexpr int kMostPasses = 64;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    if (remove_entry(AT_FDCWD, path)) return 0;
    if (errno == ENOENT) return 0;
  }
  return -1;
}

}  // namespace bdelta::io
