#include "create/input_file.hpp"

#include <optional>

#include "apply/journal_file.hpp"
#include "base/try.hpp"
#include "io/file_error.hpp"

namespace bdelta {
namespace {

constexpr std::size_t kStreamPieceBytes = 256 * 1024;  // asked for at a time; a pipe gives less

Error aside_error(Error error, const std::filesystem::path& name) {
  if (error.code == ErrorCode::kNoSpace) {
    error.remedy = "what comes as a stream waits in temp_dir, else in the system's directory for temporary files";
  }
  return io::with_file(std::move(error), name);
}

}  // namespace

Result<InputFile> InputFile::open(const std::filesystem::path& path, const FileOptions& options,
                                  io::IoCounters* counters) {
  InputFile input;
  input.name_ = io::input_name(path);
  input.counters_ = counters;
  BDELTA_ASSIGN(input.stream_, io::open_stream(path));
  if (!input.stream_.is_open()) {
    BDELTA_TRY(check_finished(path));
    BDELTA_ASSIGN(input.reader_, io::open_random(path, options, counters));
  }
  return input;
}

bool InputFile::shares_stream(const InputFile& other) const {
  if (!stream_.is_open() || !other.stream_.is_open()) return false;
  const auto mine = io::info_of(stream_, name_);
  const auto theirs = io::info_of(other.stream_, other.name_);
  return mine && theirs && mine->device == theirs->device && mine->inode == theirs->inode;
}

Status InputFile::copy_to(io::Spool& spool, Watch& watch) const {
  Bytes buffer(kStreamPieceBytes);
  for (;;) {
    BDELTA_ASSIGN(const std::optional<std::size_t> count, io::read_soon(stream_, spool.size(), buffer, name_, counters_));
    if (count && *count == 0) return {};
    BDELTA_TRY(watch.check());
    if (!count) continue;
    if (Status added = spool.append(ByteSpan(buffer).first(*count)); !added) return aside_error(added.error(), name_);
  }
}

Status InputFile::put_aside(const CreateOptions& options, Timeline& timeline, Watch& watch) {
  if (!stream_.is_open()) return {};
  Span span(&timeline, PhaseId::kRead);
  // Always a file: it can be mapped, so that memory holds no copy beside what a memory limit counts.
  io::Spool spool({0, options.temp_dir});
  BDELTA_TRY(copy_to(spool, watch));
  span.set_bytes(spool.size());
  stream_.reset();
  auto file = spool.take_file();
  if (!file) return aside_error(std::move(file).error(), name_);
  BDELTA_ASSIGN(reader_, io::random_reader(std::move(*file), name_, options.files.mode, counters_));
  return {};
}

}  // namespace bdelta
