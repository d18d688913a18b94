#include "apply/staged_file.hpp"

#include <algorithm>
#include <cerrno>

#include "base/try.hpp"
#include "io/file_error.hpp"
#include "io/retry_interrupted.hpp"

namespace bdelta {
namespace {

constexpr std::size_t kCopyPieceBytes = std::size_t{1} << 20;

}  // namespace

void StagedFile::begin(io::FileHandle file, std::filesystem::path name) {
  file_ = std::move(file);
  name_ = std::move(name);
  pos_ = 0;
}

Status StagedFile::write(ByteSpan bytes) {
  BDELTA_TRY(io::write_fully(file_, pos_, bytes, name_, nullptr));
  pos_ += bytes.size();
  return {};
}

// What the system can't do between these files is not tried with others: the next way is always right.
Status StagedFile::copy(const view::ScannedTree& tree, std::size_t entry) {
  BDELTA_ASSIGN(const io::FileHandle from, tree.open_file(entry));
  if (may_clone_) {
    if (io::retry_interrupted([&] { return file_.ops().clone(from.fd(), file_.fd()); }) == 0) return {};
    may_clone_ = false;
  }
  const std::uint64_t size = tree.manifest().entries()[entry].bytes;
  while (may_copy_range_ && pos_ < size) {
    const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(size - pos_, kCopyPieceBytes));
    const std::ptrdiff_t count =
        io::retry_interrupted([&] { return file_.ops().copy_range(from.fd(), file_.fd(), pos_, piece); });
    if (count < 0 && io::code_of(errno, ErrorCode::kWriteFailed) == ErrorCode::kNoSpace) {
      return io::file_error(errno, ErrorCode::kWriteFailed, name_, "copying to it");
    }
    may_copy_range_ = count > 0;
    if (may_copy_range_) pos_ += static_cast<std::uint64_t>(count);
  }
  Bytes buffer(static_cast<std::size_t>(std::min<std::uint64_t>(size - pos_, kCopyPieceBytes)));
  while (pos_ < size) {
    const std::uint64_t count = std::min<std::uint64_t>(size - pos_, buffer.size());
    const MutableByteSpan piece = MutableByteSpan(buffer).first(static_cast<std::size_t>(count));
    BDELTA_TRY(tree.read(from, entry, pos_, piece));
    BDELTA_TRY(write(piece));
  }
  return {};
}

Status StagedFile::set_time(std::int64_t mtime_ns) {
  if (io::retry_interrupted([&] { return file_.ops().set_mtime(file_.fd(), mtime_ns); }) == 0) return {};
  return io::file_error(errno, ErrorCode::kWriteFailed, name_, "setting its time");
}

Status StagedFile::end() {
  if (syncs_ && !io::kSyncsAll) BDELTA_TRY(io::sync_file(file_.ops(), file_.fd(), name_));
  const int error = file_.close();
  return error == 0 ? Status() : Status(io::file_error(error, ErrorCode::kWriteFailed, name_, "closing"));
}

}  // namespace bdelta
