#include "io/atomic_output.hpp"

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "base/try.hpp"
#include "io/attributes.hpp"
#include "io/file_error.hpp"
#include "io/holes.hpp"
#include "io/retry_interrupted.hpp"
#include "io/unfinished_outputs.hpp"

namespace bdelta::io {
namespace {

constexpr std::uint32_t kPrivateMode = 0600;
constexpr std::size_t kCopyBytes = std::size_t{1} << 20;

Error already_exists(const std::filesystem::path& name) {
  return file_error(ErrorCode::kOutputExists, name, "it was left as it is", "choose another name, or set FileOptions::overwrite");
}

}  // namespace

Result<std::unique_ptr<AtomicOutput>> AtomicOutput::create(OutputPlace place, const FileOptions& options,
                                                           const OutputModel& model, IoCounters* counters) {
  if ((place.existing || place.is_link) && !options.overwrite) return already_exists(place.name);
  std::unique_ptr<AtomicOutput> output(new AtomicOutput(std::move(place), options, model, counters));
  BDELTA_TRY(output->open_temp());
  return output;
}

Result<std::uint32_t> AtomicOutput::mode_to_give() const {
  if (model_.sets_permissions) return model_.permissions;
  return place_.existing ? Result<std::uint32_t>(place_.existing->mode) : mode_of_new_files();
}

// A new file gets what the system leaves of the permissions of new files there (umask, default ACL). The only way to
// learn it that does not change the umask of the whole process is to create one: an empty one that loses its name at once.
Result<std::uint32_t> AtomicOutput::mode_of_new_files() const {
  BDELTA_ASSIGN(const NamedFile probe,
                create_unpredictable(place_.directory, OpenKind::kCreateNameless, model_.permissions));
  BDELTA_ASSIGN(const FileInfo info, info_of(probe.file, place_.name));
  return info.mode;
}

// While it is unfinished only its owner may read it, from its creation on.
Status AtomicOutput::open_temp() {
  auto mode = mode_to_give();
  auto temp = mode ? TempFile::create(options_.temp_dir.value_or(place_.directory), kPrivateMode)
                   : Result<TempFile>(std::move(mode).error());
  if (!temp) {
    Error error = std::move(temp).error();
    error.detail += " for " + shown(place_.name);
    return error;
  }
  temp_ = std::move(temp).value();
  final_mode_ = *mode;
  return {};
}

Status AtomicOutput::remember(Error error) {
  const std::lock_guard lock(failure_mutex_);
  if (!failure_) failure_ = error;
  return error;
}

Status AtomicOutput::write(ByteSpan bytes) {
  if (finished_ || used_positions_) {
    return remember(file_error(ErrorCode::kInternal, place_.name, "sequential write after finish or a positioned one"));
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
    return remember(file_error(ErrorCode::kInternal, place_.name, "positioned write after finish or a sequential one"));
  }
  used_positions_ = true;
  if (bytes.empty()) return {};
  if (Status written = put(temp_.file(), pos, bytes); !written) {
    return remember(std::move(written).error());
  }
  const std::uint64_t end = pos + bytes.size();
  std::uint64_t farthest = written_end_.load();
  while (farthest < end && !written_end_.compare_exchange_weak(farthest, end)) {
  }
  return {};
}

Status AtomicOutput::put(const FileHandle& to, std::uint64_t pos, ByteSpan bytes) const {
  return model_.has_holes ? write_around_zeros(to, pos, bytes, place_.name, counters_)
                          : write_fully(to, pos, bytes, place_.name, counters_);
}

// An output with holes claims nothing: where they will be is not known yet, and a claim would fill them.
Status AtomicOutput::reserve(std::uint64_t size_bytes) {
  if (size_bytes == 0 || finished_ || fd() < 0) return {};
  if (size_bytes > static_cast<std::uint64_t>(INT64_MAX)) {
    return file_error(ErrorCode::kFileTooLarge, place_.name, {});
  }
  const std::uint64_t missing = size_bytes - std::min(size_bytes, std::max(reserved_, model_.hole_bytes));
  BDELTA_TRY(check_space(options_.temp_dir.value_or(place_.directory), missing, place_.name));
  if (options_.temp_dir) BDELTA_TRY(check_space(place_.directory, missing, place_.name));  // for copy_beside
  if (model_.has_holes) return {};
  if (retry_interrupted([&] { return file_ops().allocate(fd(), size_bytes); }) != 0) {
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
  const std::uint64_t written = stream_ ? stream_->bytes_taken() : written_end_.load();
  if (reserved_ > written || model_.has_holes) BDELTA_TRY(set_size(fd(), written));
  set_attributes(fd());
  if (options_.sync) BDELTA_TRY(sync_file(file_ops(), fd(), place_.name));
  BDELTA_TRY(close_temp());
  BDELTA_TRY(move_into_place());
  return options_.sync ? sync_directory(place_) : Status();
}

Status AtomicOutput::set_size(int fd, std::uint64_t size_bytes) const {
  if (retry_interrupted([&] { return file_ops().truncate(fd, size_bytes); }) == 0) return {};
  return file_error(errno, ErrorCode::kWriteFailed, place_.name, "giving it its size");
}

void AtomicOutput::set_attributes(int fd) noexcept {
  give_attributes(file_ops(), fd, place_.existing ? &*place_.existing : nullptr, place_.path,
                  {final_mode_, model_.sets_permissions});
}

Status AtomicOutput::close_temp() {
  if (stream_) {
    const Status closed = stream_->finish();
    stream_.reset();
    return closed;
  }
  if (const int error = temp_.file().close(); error != 0) {
    return file_error(error, ErrorCode::kWriteFailed, place_.name, "closing");
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
  note_left_behind(LeftBehind::kWhole);
  Status moved = move_by(move, from, to, system_error);
  if (!moved) note_left_behind(LeftBehind::kNothing);
  return moved;
}

Status AtomicOutput::move_by(MoveCall move, const PathChar* from, const PathChar* to, int& system_error) {
  const FileOps& ops = file_ops();
  while (retry_interrupted([&] { return move(from, to); }) != 0) {
    system_error = errno;
    if (system_error == EEXIST && !options_.overwrite) return already_exists(place_.name);
    if (system_error == EOPNOTSUPP && move == ops.rename_new) {
      FileInfo found;  // no atomic way here: look, then move
      if (ops.link_info(to, found) == 0) return already_exists(place_.name);
      move = ops.rename;
      continue;
    }
    Error error = file_error(system_error, ErrorCode::kRenameFailed, place_.name);
    if (error.code == ErrorCode::kNotFound) error.code = ErrorCode::kRenameFailed;
    return error;
  }
  return {};
}

// The temporary directory is on another file system: a second temporary file in the output's own directory takes a
// copy, and the move is atomic again.
Status AtomicOutput::copy_beside() {
  BDELTA_ASSIGN(FileHandle from, open_file(temp_.path(), OpenKind::kRead, 0, "to copy it"));
  BDELTA_ASSIGN(const FileInfo info, info_of(from, temp_.path()));
  BDELTA_ASSIGN(TempFile beside, TempFile::create(place_.directory, kPrivateMode));
  const std::unique_ptr<std::uint8_t[]> buffer(new (std::nothrow) std::uint8_t[kCopyBytes]);
  if (!buffer) return Error{ErrorCode::kOutOfMemory, "to copy the finished output"};
  for (std::uint64_t pos = 0; pos < info.size; pos += kCopyBytes) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kCopyBytes, info.size - pos));
    const MutableByteSpan piece{buffer.get(), count};
    BDELTA_TRY(read_fully(from, pos, piece, place_.name, nullptr));
    BDELTA_TRY(put(beside.file(), pos, piece));
  }
  if (model_.has_holes) BDELTA_TRY(set_size(beside.file().fd(), info.size));
  set_attributes(beside.file().fd());
  if (options_.sync) BDELTA_TRY(sync_file(file_ops(), beside.file().fd(), place_.name));
  from.reset();
  temp_ = std::move(beside);
  return close_temp();
}

}  // namespace bdelta::io
