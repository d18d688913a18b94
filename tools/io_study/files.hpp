// Files, descriptors and streams whose every failure is thrown as a Failure with words for people.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "bdelta/io.hpp"
#include "io/stdio_reader.hpp"
#include "io/stdio_writer.hpp"

namespace io_study {

// Ends the study with exit status 2.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws `what: text of errno`.
[[noreturn]] void fail(const std::string& what);

// The value of a call into the library, or its error thrown.
template <class T>
T must(bdelta::Result<T> result) {
  if (!result) throw Failure(bdelta::to_string(result.error()));
  return std::move(result).value();
}
inline void must(const bdelta::Status& status) {
  if (!status) throw Failure(bdelta::to_string(status.error()));
}

enum class Direction { kRead, kWrite };

class Descriptor {
 public:
  Descriptor(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}
  // The file must exist: a process left behind after an interruption can't make it anew. Writing may also map.
  Descriptor(const std::filesystem::path& path, Direction direction);
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int fd() const noexcept { return fd_; }
  int release() noexcept { return std::exchange(fd_, -1); }
  void close();

 private:
  int fd_;
  std::string name_;
};

// A FILE with a buffer of the given size; 0: unbuffered.
class Stream {
 public:
  Stream(const std::filesystem::path& path, Direction direction, std::size_t buffer_bytes);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  [[nodiscard]] std::FILE* file() const noexcept { return file_; }
  void close();

 private:
  std::unique_ptr<char[]> buffer_;  // stdio uses it until the stream is closed
  std::FILE* file_ = nullptr;
};

// The layer of the project over an existing file, or over a descriptor that it takes over.
std::unique_ptr<bdelta::io::StdioWriter> make_writer(const std::filesystem::path& path, std::uint64_t buffer_bytes);
std::unique_ptr<bdelta::io::StdioReader> make_reader(const std::filesystem::path& path, std::uint64_t buffer_bytes);
std::unique_ptr<bdelta::io::StdioReader> make_reader(Descriptor& from, std::uint64_t buffer_bytes);

void write_all(int fd, const void* from, std::size_t size, const std::string& name);
// Fewer than `size` bytes only at the end.
std::size_t read_some(int fd, void* to, std::size_t size, const std::string& name);

// Waits until the process has ended; throws unless it ended well. `what` names it.
void wait_for(pid_t process, const std::string& what);

// Gives the file `size` bytes, which are then in the page cache.
void make_full(const std::filesystem::path& path, std::uint64_t size);

// Fills the file with `size` bytes and takes them away again. So every run of a writing case begins with an empty
// file, and finds memory that was in use a moment ago. A virtual machine gives idle memory back to its host, and who
// uses it first then waits for the host: that is not to be the case that is timed. The empty file is synced, as the
// system writes back a file that has been dirty for half a minute, in the middle of whatever goes on.
void make_empty(const std::filesystem::path& path, std::uint64_t size);
// Throws unless the file has exactly `size` bytes.
void check_size(const std::filesystem::path& path, std::uint64_t size);

}  // namespace io_study
