// Streams of stdio for POSIX systems. What a stream writes goes through the table, so that all of it is written or an error seen.
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <new>

#include "io/file_handle.hpp"
#include "io/posix_calls.hpp"

namespace bdelta::io {
namespace {

#ifdef BDELTA_HAVE_FOPENCOOKIE
// Where the bytes of a stream for writing go.
struct StreamEnd {
  const FileOps& table;
  int fd;
};

ssize_t write_to_end(void* to, const char* from, std::size_t size) {
  const StreamEnd& end = *static_cast<const StreamEnd*>(to);
  return static_cast<ssize_t>(write_patiently(end.table, end.fd, from, size));
}

int close_end(void* closed) {
  const std::unique_ptr<const StreamEnd> end(static_cast<const StreamEnd*>(closed));
  return ::close(end->fd);
}

std::FILE* open_for_writing(int fd, const FileOps& table) {
  std::unique_ptr<StreamEnd> end(new (std::nothrow) StreamEnd{table, fd});
  if (!end) {
    errno = ENOMEM;
    return nullptr;
  }
  std::FILE* const file = ::fopencookie(end.get(), "w", {nullptr, write_to_end, nullptr, close_end});
  if (file != nullptr) (void)end.release();
  return file;
}
#else
std::FILE* open_for_writing(int fd, const FileOps&) { return ::fdopen(fd, "wb"); }
#endif

}  // namespace

std::FILE* system_open_stream(int fd, bool for_writing, const FileOps& table) {
  return for_writing ? open_for_writing(fd, table) : ::fdopen(fd, "rb");
}

int system_set_buffer(std::FILE* file, char* buffer, std::size_t size) {
  return std::setvbuf(file, size == 0 ? nullptr : buffer, size == 0 ? _IONBF : _IOFBF, size);
}

std::size_t system_read_stream(std::FILE* file, void* to, std::size_t size) {
#ifdef BDELTA_HAVE_FREAD_UNLOCKED
  return ::fread_unlocked(to, 1, size, file);
#else
  return std::fread(to, 1, size, file);
#endif
}

std::size_t system_write_stream(std::FILE* file, const void* from, std::size_t size) {
#ifdef BDELTA_HAVE_FREAD_UNLOCKED
  return ::fwrite_unlocked(from, 1, size, file);
#else
  return std::fwrite(from, 1, size, file);
#endif
}

bool system_stream_failed(std::FILE* file) { return std::ferror(file) != 0; }
bool system_stream_ended(std::FILE* file) { return std::feof(file) != 0; }
void system_clear_stream(std::FILE* file) { std::clearerr(file); }

}  // namespace bdelta::io
