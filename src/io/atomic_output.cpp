#include "io/atomic_output.hpp"

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "base/try.hpp"
#include "io/file_error.hpp"

namespace bdelta::io {
namespace {

constexpr std::uint32_t kPrivateMode = 0600;
constexpr std::uint32_t kOrdinaryMode = 0666;
constexpr std::uint32_t kSetIdBits = 06000;
constexpr std::size_t kCopyBytes = std::size_t{1} << 20;

Error already_exists(const std::filesystem::path& name) {
  return {ErrorCode::kOutputExists,
          shown(name) + ": exists already and was left as it is. Choose another name, or allow overwriting.",
          Error::kNoOffset};
}

Status copy_bytes(const FileHandle& from, std::uint64_t size, const FileHandle& to, const std::filesystem::path& name) {
  const std::unique_ptr<std::uint8_t[]> buffer(new (std::nothrow) std::uint8_t[kCopyBytes]);
  if (!buffer) return Error{ErrorCode::kOutOfMemory, "no memory to copy the finished output."};
  for (std::uint64_t pos = 0; pos < size;) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kCopyBytes, size - pos));
    const MutableByteSpan piece{buffer.get(), count};
    BDELTA_TRY(read_fully(from, pos, piece, name, nullptr));
    BDELTA_TRY(write_fully(to, pos, piece, name, nullptr));
    pos += piece.size();
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<AtomicOutput>> AtomicOutput::create(OutputPlace place, const FileOptions& options,
                                                           IoCounters* counters) {
  if (place.existing && !options.overwrite) return already_exists(place.name);
  std::unique_ptr<AtomicOutput> output(new AtomicOutput(std::move(place), options, counters));
  BDELTA_TRY(output->open_temp());
  return output;
}

// A new file gets the mode that the system gives new files (umask, default ACL): the only way to learn it that does
// not change the umask of the whole process is to create one so. While it is unfinished only its owner may read it.
Status AtomicOutput::open_temp() {
  const std::uint32_t mode = place_.existing ? kPrivateMode : kOrdinaryMode;
  auto temp = TempFile::create(options_.temp_dir.value_or(place_.directory), mode);
  if (!temp) {
    Error error = std::move(temp).error();
    error.detail = shown(place_.name) + ": " + error.detail;
    return error;
  }
  temp_ = std::move(temp).value();
  BDELTA_ASSIGN(const FileInfo info, info_of(temp_.file(), place_.name));
  final_mode_ = place_.existing ? place_.existing->mode : info.mode;
  if (!place_.existing) (void)temp_.file().ops().set_mode(temp_.file().fd(), kPrivateMode);
  return {};
}

Status AtomicOutput::remember(Error error) {
  const std::lock_guard lock(failure_mutex_);
  if (!failure_) failure_ = error;
  return error;
}

Status AtomicOutput::write(ByteSpan bytes) {
  if (finished_ || used_positions_) {
    return remember(
        {ErrorCode::kInternal, shown(place_.name) + ": sequential write after finish or a positioned one.", Error::kNoOffset});
  }
  if (!stream_) {
    auto stream = StdioWriter::create(std::move(temp_.file()), place_.name, options_.buffer_bytes, false, counters_);
    if (!stream) return remember(std::move(stream).error());
    stream_ = std::move(stream).value();
  }
  return stream_->write(bytes);  // remembers its own failures
}

Status AtomicOutput::write_at(std::uint64_t pos, ByteSpan bytes) {
  if (finished_ || stream_) {
    return remember(
        {ErrorCode::kInternal, shown(place_.name) + ": positioned write after finish or a sequential one.", pos});
  }
  used_positions_ = true;
  if (bytes.empty()) return {};
  if (Status written = write_fully(temp_.file(), pos, bytes, place_.name, counters_); !written) {
    return remember(std::move(written).error());
  }
  const std::uint64_t end = pos + bytes.size();
  std::uint64_t farthest = written_end_.load();
  while (farthest < end && !written_end_.compare_exchange_weak(farthest, end)) {
  }
  return {};
}

Status AtomicOutput::reserve(std::uint64_t size_bytes) {
  if (size_bytes == 0 || finished_ || fd() < 0) return {};
  if (size_bytes > static_cast<std::uint64_t>(INT64_MAX)) {
    return Error{ErrorCode::kFileTooLarge, shown(place_.name) + ": a file cannot be that long."};
  }
  while (file_ops().allocate(fd(), size_bytes) != 0) {
    if (errno == EINTR) continue;
    if (code_of(errno, ErrorCode::kWriteFailed) != ErrorCode::kNoSpace) return {};
    reserved_ = std::max(reserved_, size_bytes);  // a part may have been claimed
    return file_error(errno, ErrorCode::kNoSpace, place_.name,
                      "claiming space for " + std::to_string(size_bytes) + " bytes");
  }
  reserved_ = std::max(reserved_, size_bytes);
  return {};
}

Status AtomicOutput::finish() {
  if (finished_) return failure_ ? Status(*failure_) : Status();
  Status done = failure_ ? Status(*failure_) : complete();
  finished_ = true;
  stream_.reset();
  temp_.remove();
  if (!done) return remember(std::move(done).error());
  return {};
}

Status AtomicOutput::complete() {
  if (stream_) BDELTA_TRY(stream_->flush());
  BDELTA_TRY(cut_to_written());
  set_attributes(fd());
  if (options_.sync) BDELTA_TRY(sync_file(file_ops(), fd(), place_.name));
  BDELTA_TRY(close_temp());
  BDELTA_TRY(move_into_place());
  return options_.sync ? sync_directory() : Status();
}

Status AtomicOutput::cut_to_written() {
  const std::uint64_t written = stream_ ? stream_->bytes_taken() : written_end_.load();
  if (reserved_ <= written) return {};
  while (file_ops().truncate(fd(), written) != 0) {
    if (errno != EINTR) return file_error(errno, ErrorCode::kWriteFailed, place_.name, "cutting it to its size");
  }
  return {};
}

// Best effort: file systems without owners or modes are no reason to fail. Owner first, as changing it clears the
// set-id bits; those are given only to a file that has kept its owner and group.
void AtomicOutput::set_attributes(int fd) noexcept {
  const FileOps& ops = file_ops();
  std::uint32_t mode = final_mode_;
  FileInfo now;
  if (place_.existing) {
    const FileInfo& old = *place_.existing;
    const bool same_owner = ops.info(fd, now) == 0 && now.owner == old.owner && now.group == old.group;
    if (!same_owner && ops.set_owner(fd, old.owner, old.group) != 0) mode &= ~kSetIdBits;
  }
  (void)ops.set_mode(fd, mode);
}

Status AtomicOutput::close_temp() {
  if (stream_) {
    const Status closed = stream_->finish();
    stream_.reset();
    return closed;
  }
  if (const int error = temp_.file().close(); error != 0) {
    return file_error(error, ErrorCode::kWriteFailed, place_.name, "closing failed");
  }
  return {};
}

Status AtomicOutput::move_into_place() {
  int system_error = 0;
  Status moved = move_once(system_error);
  if (!moved && system_error == EXDEV) {
    BDELTA_TRY(copy_beside());
    moved = move_once(system_error);
  }
  if (moved) temp_.keep();
  return moved;
}

Status AtomicOutput::move_once(int& system_error) {
  const FileOps& ops = file_ops();
  const PathChar* from = temp_.path().c_str();
  const PathChar* to = place_.path.c_str();
  auto move = options_.overwrite ? ops.rename : ops.rename_new;
  while (move(from, to) != 0) {
    system_error = errno;
    if (system_error == EINTR) continue;
    if (system_error == EEXIST && !options_.overwrite) return already_exists(place_.name);
    if (system_error == EOPNOTSUPP && move == ops.rename_new) {
      FileInfo found;  // no atomic way here: look, then move
      if (ops.link_info(to, found) == 0) return already_exists(place_.name);
      move = ops.rename;
      continue;
    }
    Error error = file_error(system_error, ErrorCode::kRenameFailed, place_.name, "moving the finished output here");
    if (error.code == ErrorCode::kNotFound) error.code = ErrorCode::kRenameFailed;
    return error;
  }
  return {};
}

// The temporary directory is on another file system: a second temporary file in the output's own directory takes a
// copy, and the move is atomic again.
Status AtomicOutput::copy_beside() {
  BDELTA_ASSIGN(FileHandle from, open_file(temp_.path(), OpenKind::kRead, 0, "cannot read the finished output"));
  BDELTA_ASSIGN(const FileInfo info, info_of(from, temp_.path()));
  BDELTA_ASSIGN(TempFile beside, TempFile::create(place_.directory, kPrivateMode));
  BDELTA_TRY(copy_bytes(from, info.size, beside.file(), place_.name));
  set_attributes(beside.file().fd());
  if (options_.sync) BDELTA_TRY(sync_file(file_ops(), beside.file().fd(), place_.name));
  from.reset();
  temp_ = std::move(beside);
  return close_temp();
}

Status AtomicOutput::sync_directory() {
  while (file_ops().sync_directory(place_.directory.c_str()) != 0) {
    if (errno == EINTR) continue;
    // A directory that may be written but not read can't be synced; nor can some file systems.
    if (errno != EIO && code_of(errno, ErrorCode::kSyncFailed) != ErrorCode::kNoSpace) return {};
    return file_error(errno, ErrorCode::kSyncFailed, place_.name,
                      "the output is complete and in place, but making its name durable failed");
  }
  return {};
}

}  // namespace bdelta::io
