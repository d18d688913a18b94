#include "apply/in_place_file.hpp"

#include <cerrno>

#include "base/try.hpp"
#include "io/file_error.hpp"
#include "io/open.hpp"
#include "io/retry_interrupted.hpp"

namespace bdelta {
namespace {

// Nobody else opens a device that is updated, and times of its name say nothing of what is on it.
class DeviceReader final : public RandomReader {
 public:
  explicit DeviceReader(std::unique_ptr<RandomReader> reader) noexcept : reader_(std::move(reader)) {}

  [[nodiscard]] std::uint64_t size() const noexcept override { return reader_->size(); }
  [[nodiscard]] ByteSpan view() const noexcept override { return reader_->view(); }
  Status read_at(std::uint64_t pos, MutableByteSpan out) override { return reader_->read_at(pos, out); }

 private:
  const std::unique_ptr<RandomReader> reader_;
};

Result<io::FileHandle> open_to_update(const io::OutputPlace& place) {
  const io::FileOps& ops = io::file_ops();
  const int fd = io::retry_interrupted([&] { return ops.open(place.path.c_str(), io::OpenKind::kUpdate, 0); });
  if (fd >= 0) return io::FileHandle(ops, fd);
  if (errno == ETXTBSY) return io::file_error(ErrorCode::kInUse, place.name, "the program is running", "end it first");
  if (errno == EBUSY) {
    return io::file_error(ErrorCode::kInUse, place.name, "the device is mounted, or updated already", "unmount it first");
  }
  return io::file_error(errno, ErrorCode::kOpenFailed, place.name, "for writing");
}

}  // namespace

Result<InPlaceFile> InPlaceFile::open(const std::filesystem::path& path) {
  InPlaceFile file;
  BDELTA_ASSIGN(file.place_, io::find_output_place(path));
  BDELTA_ASSIGN(file.file_, open_to_update(file.place_));
  BDELTA_ASSIGN(file.info_, io::info_of(file.file_, path));
  if (!file.info_.is_regular && !file.info_.is_device) {
    return io::file_error(ErrorCode::kNotSeekable, path, "it is neither a file nor a block device", {});
  }
  BDELTA_TRY(io::lock_file(file.file_, file.place_));
  BDELTA_ASSIGN(file.info_, io::info_of(file.file_, path));  // as it is now that nobody else may change it
  file.bytes_ = file.info_.size;
  if (!file.is_device()) return file;
  if (io::retry_interrupted([&] { return file.file_.ops().device_size(file.file_.fd(), file.bytes_); }) == 0) return file;
  return io::file_error(errno, ErrorCode::kOpenFailed, path, "asking for the size of the device");
}

Result<std::unique_ptr<RandomReader>> InPlaceFile::make_reader(const FileOptions& options, io::IoCounters* counters) const {
  BDELTA_ASSIGN(io::FileHandle handle, io::open_file(place_.path, io::OpenKind::kReadNoWait, 0));
  BDELTA_ASSIGN(io::FileInfo info, io::info_of(handle, place_.name));
  info.size = is_device() ? bytes_ : info.size;
  BDELTA_ASSIGN(auto reader, io::random_reader({std::move(handle), info}, place_.name,
                                               io::kMayWriteMapped ? options.mode : IoMode::kStdio, counters));
  if (!is_device()) return reader;
  return std::unique_ptr<RandomReader>(new DeviceReader(std::move(reader)));
}

Status InPlaceFile::claim_growth(std::uint64_t bytes) const {
  if (is_device() || bytes <= bytes_) return {};
  BDELTA_TRY(io::check_space(place_.directory, bytes - bytes_, place_.name));
  if (io::retry_interrupted([&] { return file_.ops().claim(file_.fd(), bytes_, bytes - bytes_); }) == 0) return {};
  if (io::code_of(errno, ErrorCode::kWriteFailed) != ErrorCode::kNoSpace) return {};
  return io::file_error(errno, ErrorCode::kNoSpace, place_.name, "claiming space for " + std::to_string(bytes) + " bytes");
}

Status InPlaceFile::write_at(std::uint64_t pos, ByteSpan bytes, io::IoCounters* counters) const {
  return io::write_fully(file_, pos, bytes, place_.name, counters);
}

Status InPlaceFile::resize(std::uint64_t bytes) const {
  if (is_device() || io::retry_interrupted([&] { return file_.ops().truncate(file_.fd(), bytes); }) == 0) return {};
  return io::file_error(errno, ErrorCode::kWriteFailed, place_.name, "giving it its size");
}

Status InPlaceFile::sync() const { return io::sync_file(file_.ops(), file_.fd(), place_.name); }

}  // namespace bdelta
