#include "io/spool.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include "base/checked.hpp"
#include "base/try.hpp"
#include "io/file_error.hpp"
#include "io/temp_file.hpp"

namespace bdelta::io {
namespace {

// Once there is a file, memory only gathers small appends into writes of a decent size.
constexpr std::uint64_t kGatherBytes = 256 * 1024;

class SpoolReader final : public SequentialReader {
 public:
  explicit SpoolReader(const Spool& spool) noexcept : spool_(spool) {}

  Result<std::size_t> read(MutableByteSpan out) override {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), spool_.size() - position_));
    BDELTA_TRY(spool_.read_at(position_, out.first(count)));
    position_ += count;
    return count;
  }

 private:
  const Spool& spool_;
  std::uint64_t position_ = 0;
};

}  // namespace

Spool::Spool(SpoolOptions options) : options_(std::move(options)), memory_limit_(options_.memory_bytes) {}

Status Spool::append(ByteSpan bytes) {
  if (!range_fits(memory_.size(), bytes.size(), memory_limit_)) {
    BDELTA_TRY(spill());
    if (bytes.size() > memory_limit_) {
      BDELTA_TRY(write_fully(file_, file_size_, bytes, directory_, nullptr));
      file_size_ += bytes.size();
      return {};
    }
  }
  try {
    bdelta::append(memory_, bytes);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "to put aside " + std::to_string(size()) + " bytes"};
  }
  return {};
}

Status Spool::spill() {
  if (!file_.is_open()) BDELTA_TRY(open_spool_file());
  BDELTA_TRY(write_fully(file_, file_size_, memory_, directory_, nullptr));
  file_size_ += memory_.size();
  if (memory_.capacity() > kGatherBytes) Bytes().swap(memory_);
  memory_.clear();
  memory_limit_ = std::min(memory_limit_, kGatherBytes);
  return {};
}

Status Spool::open_spool_file() {
  try {
    directory_ = options_.directory ? *options_.directory : std::filesystem::temp_directory_path();
    BDELTA_ASSIGN(NamedFile created, create_unpredictable(directory_, OpenKind::kCreateNameless, 0600));
    file_ = std::move(created.file);
    return {};
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, {}};
  } catch (const std::filesystem::filesystem_error& failure) {
    return file_error(failure.code().value(), ErrorCode::kOpenFailed, failure.path1(),
                      "as the system's temporary directory (TMPDIR)");
  }
}

Result<OpenedFile> Spool::take_file() {
  BDELTA_TRY(spill());
  BDELTA_ASSIGN(const FileInfo info, info_of(file_, directory_));
  file_size_ = 0;
  return OpenedFile{std::move(file_), info};
}

Result<std::unique_ptr<SequentialReader>> Spool::open_reader() const {
  std::unique_ptr<SequentialReader> reader(new (std::nothrow) SpoolReader(*this));
  if (!reader) return Error{ErrorCode::kOutOfMemory, {}};
  return reader;
}

Status Spool::read_at(std::uint64_t pos, MutableByteSpan out) const {
  if (!range_fits(pos, out.size(), size())) {
    return Error{ErrorCode::kInternal, "read beyond the bytes put aside", pos};
  }
  if (pos < file_size_) {
    const auto from_file = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), file_size_ - pos));
    BDELTA_TRY(read_fully(file_, pos, out.first(from_file), directory_, nullptr));
    pos += from_file;
    out = out.subspan(from_file);
  }
  if (!out.empty()) std::memcpy(out.data(), memory_.data() + static_cast<std::size_t>(pos - file_size_), out.size());
  return {};
}

}  // namespace bdelta::io
