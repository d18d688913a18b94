#include "io/stdio_writer.hpp"

#include <cerrno>
#include <new>
#include <utility>

#include "base/try.hpp"
#include "io/file_error.hpp"
#include "io/stdio_buffer.hpp"

namespace bdelta::io {

Result<std::unique_ptr<StdioWriter>> StdioWriter::create(FileHandle file, std::filesystem::path name,
                                                         std::uint64_t buffer_bytes, bool sync,
                                                         IoCounters* counters) {
  const FileOps& ops = file.ops();
  std::unique_ptr<StdioWriter> writer(new (std::nothrow)
                                          StdioWriter(ops, std::move(name), file.fd(), sync, counters));
  if (!writer) return Error{ErrorCode::kOutOfMemory, "for a writer"};
  auto stream = open_buffered(std::move(file), true, buffer_bytes, writer->buffer_, writer->name_);
  if (!stream) return std::move(stream).error();
  writer->file_ = *stream;
  return writer;
}

StdioWriter::~StdioWriter() {
  if (file_ != nullptr) (void)ops_.close_stream(file_);
}

Status StdioWriter::fail(Error error) {
  failure_ = std::move(error);
  return *failure_;
}

Status StdioWriter::fail(int system_error, std::string_view step) {
  Error error = file_error(system_error, ErrorCode::kWriteFailed, name_, step);
  error.offset = taken_;
  return fail(std::move(error));
}

Status StdioWriter::write(ByteSpan bytes) {
  if (failure_) return *failure_;
  if (file_ == nullptr) return file_error(ErrorCode::kInternal, name_, "written to after it was finished");
  while (!bytes.empty()) {
    errno = 0;
    const std::size_t taken = ops_.write_stream(file_, bytes.data(), bytes.size());
    count_write(counters_, taken);
    taken_ += taken;
    if (taken == bytes.size()) return {};
    const int error = errno;
    if (ops_.stream_failed(file_)) {
      if (error != EINTR || buffer_) return fail(error);
      ops_.clear_stream(file_);
    }
    bytes = bytes.subspan(taken);
  }
  return {};
}

Status StdioWriter::flush() {
  if (failure_) return *failure_;
  if (file_ == nullptr) return {};
  errno = 0;
  const bool flushed = ops_.flush_stream(file_) == 0;
  const int error = errno;
  if (!flushed) return fail(error, "flushing");
  // An error that no call has returned may still stand in the stream.
  if (ops_.stream_failed(file_)) return fail(EIO);
  return {};
}

Status StdioWriter::finish() {
  if (file_ == nullptr) return failure_ ? Status(*failure_) : Status();
  Status flushed = flush();
  if (flushed && sync_) {
    if (Status synced = sync_file(ops_, fd_, name_); !synced) flushed = fail(std::move(synced).error());
  }
  errno = 0;
  const bool closed = ops_.close_stream(std::exchange(file_, nullptr)) == 0;
  if (flushed && !closed && errno != EINTR) return fail(errno, "closing failed");
  return flushed;
}

}  // namespace bdelta::io
