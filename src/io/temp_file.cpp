#include "io/temp_file.hpp"

#include <cerrno>
#include <utility>

#include "base/try.hpp"
#include "io/file_error.hpp"
#include "io/retry_interrupted.hpp"

namespace bdelta::io {
namespace {

constexpr int kMostAttempts = 64;  // 64 random bits collide once; more often means that something else is wrong

}  // namespace

Result<std::filesystem::path> unpredictable_name(const std::filesystem::path& directory) {
  std::uint64_t random = 0;
  if (retry_interrupted([&] { return file_ops().random_bytes(&random, sizeof random); }) != 0) {
    return file_error(errno, ErrorCode::kOpenFailed, directory, "choosing a name for a temporary file");
  }
  constexpr char kDigits[] = "0123456789abcdef";
  std::string name = ".bdelta-";
  for (int i = 0; i < 16; ++i, random >>= 4) name += kDigits[random & 15];
  return directory / (name + ".tmp");
}

Result<NamedFile> create_unpredictable(const std::filesystem::path& directory, OpenKind kind, std::uint32_t mode) {
  for (int attempt = 0;;) {
    BDELTA_ASSIGN(std::filesystem::path path, unpredictable_name(directory));
    // Told before the file is there, so that a signal that comes right after finds it; one without a name, too, has
    // had it for a moment.
    UnfinishedName unfinished(path);
    const FileOps& ops = file_ops();
    const int fd = ops.open(path.c_str(), kind, mode);
    const int error = errno;
    unfinished.opened();
    if (fd >= 0) {
      if (kind == OpenKind::kCreateNameless) unfinished.forget();
      return NamedFile{FileHandle(ops, fd), std::move(path), std::move(unfinished)};
    }
    if (error == EINTR) continue;
    if (error != EEXIST || ++attempt == kMostAttempts) {
      return file_error(error, ErrorCode::kOpenFailed, directory, "creating a temporary file in this directory");
    }
  }
}

TempFile::TempFile(TempFile&& other) noexcept
    : file_(std::move(other.file_)), path_(std::move(other.path_)), unfinished_(std::move(other.unfinished_)) {
  other.path_.clear();
}

TempFile& TempFile::operator=(TempFile&& other) noexcept {
  if (this != &other) {
    remove();
    file_ = std::move(other.file_);
    path_ = std::move(other.path_);
    other.path_.clear();
    unfinished_ = std::move(other.unfinished_);
  }
  return *this;
}

Result<TempFile> TempFile::create(const std::filesystem::path& directory, std::uint32_t mode) {
  TempFile temp;
  BDELTA_ASSIGN(NamedFile created, create_unpredictable(directory, OpenKind::kCreateNew, mode));
  temp.file_ = std::move(created.file);
  temp.path_ = std::move(created.path);
  temp.unfinished_ = std::move(created.unfinished);
  return temp;
}

void TempFile::keep() noexcept {
  path_.clear();
  unfinished_.forget();
}

void TempFile::remove() noexcept {
  file_.reset();  // first: Windows removes no open file
  if (!path_.empty()) (void)file_ops().remove(path_.c_str());
  keep();
}

}  // namespace bdelta::io
