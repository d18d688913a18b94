// The table of file calls for Windows: wide paths, CRT descriptors so that stdio can sit on them.
#define _CRT_RAND_S
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#include <fcntl.h>
#include <io.h>
#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "io/file_ops.hpp"

namespace bdelta::io {
namespace {

constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
constexpr int kSharingRetries = 50;          // virus scanners and indexers hold new files for a moment
constexpr DWORD kSharingPauseMs = 20;
constexpr DWORD kMostBytesPerCall = 1u << 30;

int errno_of(DWORD error) {
  switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_NETPATH: return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
    case ERROR_WRITE_PROTECT: return EACCES;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS: return EEXIST;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL: return ENOSPC;
    case ERROR_BROKEN_PIPE:
    case ERROR_NO_DATA: return EPIPE;
    case ERROR_NOT_SAME_DEVICE: return EXDEV;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY: return ENOMEM;
    case ERROR_TOO_MANY_OPEN_FILES: return EMFILE;
    case ERROR_INVALID_FUNCTION:
    case ERROR_NOT_SUPPORTED: return EOPNOTSUPP;
    default: return EIO;
  }
}

int fail() {
  errno = errno_of(GetLastError());
  return -1;
}

HANDLE handle_of(int fd) { return reinterpret_cast<HANDLE>(_get_osfhandle(fd)); }

int descriptor(HANDLE handle, int flags) {
  if (handle == INVALID_HANDLE_VALUE) return fail();
  const int fd = _open_osfhandle(reinterpret_cast<intptr_t>(handle), flags | _O_BINARY | _O_NOINHERIT);
  if (fd < 0) CloseHandle(handle);
  return fd;
}

int system_open(const wchar_t* path, OpenKind kind, std::uint32_t) {
  constexpr DWORD kBoth = GENERIC_READ | GENERIC_WRITE | DELETE;
  switch (kind) {
    case OpenKind::kRead:
    case OpenKind::kReadNoWait:
      return descriptor(CreateFileW(path, GENERIC_READ, kShareAll, nullptr, OPEN_EXISTING, 0, nullptr), _O_RDONLY);
    case OpenKind::kWriteExisting:
      return descriptor(CreateFileW(path, GENERIC_WRITE, kShareAll, nullptr, OPEN_EXISTING, 0, nullptr), 0);
    case OpenKind::kUpdate:  // shared with nobody else who writes
      return descriptor(CreateFileW(path, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ, nullptr, OPEN_EXISTING, 0, nullptr), 0);
    case OpenKind::kCreateNew:
      return descriptor(CreateFileW(path, kBoth, kShareAll, nullptr, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr), 0);
    case OpenKind::kCreateNameless:
      return descriptor(CreateFileW(path, kBoth, kShareAll, nullptr, CREATE_NEW,
                                    FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr), 0);
  }
  errno = EINVAL;
  return -1;
}

int system_duplicate(int standard_fd) {
  const int fd = _dup(standard_fd);
  if (fd >= 0) _setmode(fd, _O_BINARY);
  return fd;
}

int system_close(int fd) { return _close(fd); }

OVERLAPPED at_position(std::uint64_t pos) {
  OVERLAPPED at{};
  at.Offset = static_cast<DWORD>(pos);
  at.OffsetHigh = static_cast<DWORD>(pos >> 32);
  return at;
}

std::ptrdiff_t system_read_at(int fd, void* to, std::size_t size, std::uint64_t pos) {
  OVERLAPPED at = at_position(pos);
  DWORD got = 0;
  const auto wanted = static_cast<DWORD>(std::min<std::size_t>(size, kMostBytesPerCall));
  if (ReadFile(handle_of(fd), to, wanted, &got, &at)) return static_cast<std::ptrdiff_t>(got);
  return GetLastError() == ERROR_HANDLE_EOF ? 0 : fail();
}

std::ptrdiff_t system_write_at(int fd, const void* from, std::size_t size, std::uint64_t pos) {
  OVERLAPPED at = at_position(pos);
  DWORD taken = 0;
  const auto offered = static_cast<DWORD>(std::min<std::size_t>(size, kMostBytesPerCall));
  return WriteFile(handle_of(fd), from, offered, &taken, &at) ? static_cast<std::ptrdiff_t>(taken) : fail();
}

std::ptrdiff_t system_write(int fd, const void* from, std::size_t size) {
  return _write(fd, from, static_cast<unsigned>(std::min<std::size_t>(size, kMostBytesPerCall)));
}

std::ptrdiff_t system_read_soon(int fd, void* to, std::size_t size, int) {
  return _read(fd, to, static_cast<unsigned>(std::min<std::size_t>(size, kMostBytesPerCall)));
}

// 100 ns since 1601 to ns since 1970.
std::int64_t unix_nanoseconds(std::int64_t ticks) { return (ticks - 116444736000000000LL) * 100; }

int info_of_handle(HANDLE handle, FileInfo& out) {
  if (GetFileType(handle) != FILE_TYPE_DISK) {
    out = {};
    return 0;
  }
  BY_HANDLE_FILE_INFORMATION found;
  FILE_BASIC_INFO times;
  if (!GetFileInformationByHandle(handle, &found)) return fail();
  if (!GetFileInformationByHandleEx(handle, FileBasicInfo, &times, sizeof times)) return fail();
  out = {};
  out.size = (static_cast<std::uint64_t>(found.nFileSizeHigh) << 32) | found.nFileSizeLow;
  out.mtime_ns = unix_nanoseconds(times.LastWriteTime.QuadPart);
  out.ctime_ns = unix_nanoseconds(times.ChangeTime.QuadPart);
  out.device = found.dwVolumeSerialNumber;
  out.inode = (static_cast<std::uint64_t>(found.nFileIndexHigh) << 32) | found.nFileIndexLow;
  out.mode = 0600;
  out.is_directory = (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  out.is_regular = !out.is_directory;
  return 0;
}

int system_info(int fd, FileInfo& out) { return info_of_handle(handle_of(fd), out); }

int info_of_name(const wchar_t* path, DWORD flags, FileInfo& out) {
  const HANDLE handle = CreateFileW(path, FILE_READ_ATTRIBUTES, kShareAll, nullptr, OPEN_EXISTING,
                                    FILE_FLAG_BACKUP_SEMANTICS | flags, nullptr);
  if (handle == INVALID_HANDLE_VALUE) return fail();
  const int result = info_of_handle(handle, out);
  CloseHandle(handle);
  return result;
}

int system_path_info(const wchar_t* path, FileInfo& out) { return info_of_name(path, 0, out); }

int system_link_info(const wchar_t* path, FileInfo& out) {
  if (info_of_name(path, FILE_FLAG_OPEN_REPARSE_POINT, out) != 0) return -1;
  std::error_code error;
  if (std::filesystem::is_symlink(path, error)) {
    out.is_symlink = true;
    out.is_regular = out.is_directory = false;
    return 0;
  }
  return info_of_name(path, 0, out);  // other reparse points (cloud files, deduplication) are what they lead to
}

int system_sync(int fd) { return FlushFileBuffers(handle_of(fd)) ? 0 : fail(); }

int set_size(int fd, std::uint64_t size) {
  FILE_END_OF_FILE_INFO end{};
  end.EndOfFile.QuadPart = static_cast<LONGLONG>(size);
  return SetFileInformationByHandle(handle_of(fd), FileEndOfFileInfo, &end, sizeof end) ? 0 : fail();
}

int system_allocate(int fd, std::uint64_t size) { return set_size(fd, size); }
int system_truncate(int fd, std::uint64_t size) { return set_size(fd, size); }

int system_find_hole(int, std::uint64_t&) {
  errno = EOPNOTSUPP;
  return -1;
}

int system_set_mode(int, std::uint32_t) { return 0; }  // access lists come from the directory
int system_set_owner(int, std::uint32_t, std::uint32_t) { return 0; }

int system_copy_access(const wchar_t*, int) { return 0; }                  // likewise

// No signal interrupts a write here.
std::FILE* system_open_stream(int fd, bool for_writing, const FileOps&) {
  return _fdopen(fd, for_writing ? "wb" : "rb");
}

int system_set_buffer(std::FILE* file, char* buffer, std::size_t size) {
  return std::setvbuf(file, size == 0 ? nullptr : buffer, size == 0 ? _IONBF : _IOFBF, size);
}

std::size_t system_read_stream(std::FILE* file, void* to, std::size_t size) {
#ifdef BDELTA_HAVE_FREAD_NOLOCK
  return _fread_nolock(to, 1, size, file);
#else
  return std::fread(to, 1, size, file);
#endif
}

std::size_t system_write_stream(std::FILE* file, const void* from, std::size_t size) {
#ifdef BDELTA_HAVE_FREAD_NOLOCK
  return _fwrite_nolock(from, 1, size, file);
#else
  return std::fwrite(from, 1, size, file);
#endif
}

int system_flush_stream(std::FILE* file) { return std::fflush(file); }
int system_close_stream(std::FILE* file) { return std::fclose(file); }
bool system_stream_failed(std::FILE* file) { return std::ferror(file) != 0; }
bool system_stream_ended(std::FILE* file) { return std::feof(file) != 0; }
void system_clear_stream(std::FILE* file) { std::clearerr(file); }

int system_read_link(const wchar_t* path, std::filesystem::path& target) {
  std::error_code error;
  target = std::filesystem::read_symlink(path, error);
  return error ? (errno = error.default_error_condition().value(), -1) : 0;
}

int move(const wchar_t* from, const wchar_t* to, DWORD flags) {
  for (int attempt = 0;; ++attempt) {
    if (MoveFileExW(from, to, flags | MOVEFILE_WRITE_THROUGH)) return 0;
    const DWORD error = GetLastError();
    const bool passing = error == ERROR_SHARING_VIOLATION || error == ERROR_ACCESS_DENIED;
    if (!passing || attempt == kSharingRetries) return fail();
    Sleep(kSharingPauseMs);
  }
}

int system_rename(const wchar_t* from, const wchar_t* to) { return move(from, to, MOVEFILE_REPLACE_EXISTING); }
int system_rename_new(const wchar_t* from, const wchar_t* to) { return move(from, to, 0); }
int system_remove(const wchar_t* path) { return DeleteFileW(path) ? 0 : fail(); }
int system_sync_directory(const wchar_t*) { return 0; }  // MOVEFILE_WRITE_THROUGH did it

int system_free_bytes(const wchar_t* directory, std::uint64_t& out) {
  ULARGE_INTEGER available{};
  if (!GetDiskFreeSpaceExW(directory, &available, nullptr, nullptr)) return fail();
  out = available.QuadPart;
  return 0;
}

void* system_map(int fd, std::size_t size) {
  const HANDLE mapping = CreateFileMappingW(handle_of(fd), nullptr, PAGE_READONLY, 0, 0, nullptr);
  if (mapping == nullptr) {
    (void)fail();
    return nullptr;
  }
  void* at = MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, size);
  if (at == nullptr) (void)fail();
  CloseHandle(mapping);  // the view keeps it
  return at;
}

int system_unmap(void* at, std::size_t) { return UnmapViewOfFile(at) ? 0 : fail(); }
void system_advise(void*, std::size_t, Access) {}

int system_random_bytes(void* to, std::size_t size) {
  for (std::size_t done = 0; done < size;) {
    unsigned int random = 0;
    if (const errno_t error = rand_s(&random); error != 0) {
      errno = error;
      return -1;
    }
    const std::size_t piece = std::min(size - done, sizeof random);
    std::memcpy(static_cast<char*>(to) + done, &random, piece);
    done += piece;
  }
  return 0;
}

int system_is_in_memory(const wchar_t*, bool& out) {
  out = false;
  return 0;
}

std::uint32_t system_user() { return 0; }  // as info has it

// Directories are not taken as OLD and NEW on Windows yet, nor are devices; kUpdate keeps others out.
template <class Value, class... Arguments>
Value not_here(Arguments...) {
  errno = EOPNOTSUPP;
  return -1;
}

constexpr FileOps kSystemOps{
    .open = system_open, .duplicate = system_duplicate, .close = system_close, .read_at = system_read_at,
    .write_at = system_write_at, .write = system_write, .read_soon = system_read_soon, .info = system_info, .sync = system_sync,
    .allocate = system_allocate, .truncate = system_truncate, .claim = not_here<int>,
    .lock = not_here<int>, .device_size = not_here<int>, .find_hole = system_find_hole,
    .set_mode = system_set_mode, .set_owner = system_set_owner, .copy_access = system_copy_access,
    .open_stream = system_open_stream, .set_buffer = system_set_buffer, .read_stream = system_read_stream,
    .write_stream = system_write_stream, .flush_stream = system_flush_stream, .close_stream = system_close_stream,
    .stream_failed = system_stream_failed, .stream_ended = system_stream_ended, .clear_stream = system_clear_stream,
    .path_info = system_path_info, .link_info = system_link_info, .read_link = system_read_link,
    .rename = system_rename, .rename_new = system_rename_new, .remove = system_remove,
    .sync_directory = system_sync_directory, .free_bytes = system_free_bytes, .is_in_memory = system_is_in_memory,
    .open_directory = not_here<int>, .open_at = not_here<int>, .info_at = not_here<int>, .list = not_here<int>,
    .make_directory = not_here<int>, .make_directory_at = not_here<int>, .make_link_at = not_here<int>,
    .read_link_at = not_here<int>, .move_at = not_here<int>, .remove_at = not_here<int>,
    .rename_directory = not_here<int>, .remove_tree = not_here<int>, .clone = not_here<int>,
    .copy_range = not_here<std::ptrdiff_t>, .set_mtime = not_here<int>, .sync_all = not_here<int>, .map = system_map,
    .unmap = system_unmap, .advise = system_advise, .random_bytes = system_random_bytes,
    .user = system_user,
};

}  // namespace

const FileOps& system_ops() noexcept { return kSystemOps; }

}  // namespace bdelta::io
