#include "files.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/bytes.hpp"

namespace io_study {

using bdelta::io::FileHandle;
using bdelta::io::StdioReader;
using bdelta::io::StdioWriter;

void fail(const std::string& what) {
  const int error = errno;
  throw Failure(what + ": " + std::generic_category().message(error));
}

Descriptor::Descriptor(const std::filesystem::path& path, Direction direction)
    : fd_(::open(path.c_str(), (direction == Direction::kWrite ? O_RDWR : O_RDONLY) | O_CLOEXEC)),
      name_(path.string()) {
  if (fd_ < 0) fail("cannot open " + name_);
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) (void)::close(fd_);
}

void Descriptor::close() {
  if (::close(std::exchange(fd_, -1)) != 0) fail("cannot close " + name_);
}

Stream::Stream(const std::filesystem::path& path, Direction direction, std::size_t buffer_bytes) {
  Descriptor opened(path, direction);
  file_ = ::fdopen(opened.fd(), direction == Direction::kWrite ? "wb" : "rb");
  if (file_ == nullptr) fail("cannot open " + path.string() + " as a stream");
  (void)opened.release();
  if (buffer_bytes != 0) buffer_.reset(new char[buffer_bytes]);
  if (std::setvbuf(file_, buffer_.get(), buffer_bytes == 0 ? _IONBF : _IOFBF, buffer_bytes) != 0) {
    fail("cannot set the buffer of " + path.string());
  }
}

Stream::~Stream() {
  if (file_ != nullptr) (void)std::fclose(file_);
}

void Stream::close() {
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail("cannot close a stream");
}

std::unique_ptr<StdioWriter> make_writer(const std::filesystem::path& path, std::uint64_t buffer_bytes) {
  Descriptor opened(path, Direction::kWrite);
  FileHandle file(bdelta::io::file_ops(), opened.release());
  return must(StdioWriter::create(std::move(file), path, buffer_bytes, false, nullptr));
}

std::unique_ptr<StdioReader> make_reader(const std::filesystem::path& path, std::uint64_t buffer_bytes) {
  Descriptor opened(path, Direction::kRead);
  return make_reader(opened, buffer_bytes);
}

std::unique_ptr<StdioReader> make_reader(Descriptor& from, std::uint64_t buffer_bytes) {
  FileHandle file(bdelta::io::file_ops(), from.release());
  return must(StdioReader::create(std::move(file), "input", buffer_bytes, nullptr));
}

void write_all(int fd, const void* from, std::size_t size, const std::string& name) {
  const char* at = static_cast<const char*>(from);
  while (size != 0) {
    const ssize_t taken = ::write(fd, at, size);
    if (taken < 0 && errno == EINTR) continue;
    if (taken < 0) fail("cannot write to " + name);
    at += taken;
    size -= static_cast<std::size_t>(taken);
  }
}

std::size_t read_some(int fd, void* to, std::size_t size, const std::string& name) {
  char* at = static_cast<char*>(to);
  std::size_t left = size;
  while (left != 0) {
    const ssize_t got = ::read(fd, at, left);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("cannot read from " + name);
    if (got == 0) break;
    at += got;
    left -= static_cast<std::size_t>(got);
  }
  return size - left;
}

void wait_for(pid_t process, const std::string& what) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) fail("cannot wait for " + what);
  }
  if (WIFSIGNALED(status)) throw Failure(what + ": was ended by signal " + std::to_string(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0) throw Failure(what + ": failed, see the message above");
}

void make_full(const std::filesystem::path& path, std::uint64_t size) {
  const bdelta::Bytes piece(std::size_t{1} << 20);
  const Descriptor to(path, Direction::kWrite);
  for (std::uint64_t done = 0; done < size; done += piece.size()) {
    write_all(to.fd(), piece.data(), piece.size(), path.string());
  }
  if (::ftruncate(to.fd(), static_cast<off_t>(size)) != 0) fail("cannot set the size of " + path.string());
}

void make_empty(const std::filesystem::path& path, std::uint64_t size) {
  make_full(path, size);
  const Descriptor to(path, Direction::kWrite);
  if (::ftruncate(to.fd(), 0) != 0) fail("cannot empty " + path.string());
  if (::fsync(to.fd()) != 0) fail("cannot sync " + path.string());
}

void check_size(const std::filesystem::path& path, std::uint64_t size) {
  const std::uint64_t found = std::filesystem::file_size(path);
  if (found == size) return;
  throw Failure(path.string() + ": expected " + std::to_string(size) + " bytes, found " + std::to_string(found));
}

}  // namespace io_study
