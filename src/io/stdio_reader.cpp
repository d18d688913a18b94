#include "io/stdio_reader.hpp"

#include <cerrno>
#include <new>

#include "io/file_error.hpp"
#include "io/stdio_buffer.hpp"

namespace bdelta::io {

Result<std::unique_ptr<StdioReader>> StdioReader::create(FileHandle file, std::filesystem::path name,
                                                         std::uint64_t buffer_bytes, IoCounters* counters) {
  const FileOps& ops = file.ops();
  std::unique_ptr<StdioReader> reader(new (std::nothrow) StdioReader(ops, std::move(name), counters));
  if (!reader) return Error{ErrorCode::kOutOfMemory, "for a reader"};
  auto stream = open_buffered(std::move(file), false, buffer_bytes, reader->buffer_, reader->name_);
  if (!stream) return std::move(stream).error();
  reader->file_ = *stream;
  return reader;
}

StdioReader::~StdioReader() {
  if (file_ != nullptr) (void)ops_.close_stream(file_);
}

Result<std::size_t> StdioReader::read(MutableByteSpan out) {
  std::size_t done = 0;
  while (done < out.size()) {
    errno = 0;
    const std::size_t got = ops_.read_stream(file_, out.data() + done, out.size() - done);
    const int error = errno;
    count_read(counters_, got);
    done += got;
    position_ += got;
    if (done == out.size()) break;
    if (ops_.stream_failed(file_)) {
      ops_.clear_stream(file_);
      if (error == EINTR) continue;
      Error failure =
          file_error(error, ErrorCode::kReadFailed, name_, "reading at byte " + std::to_string(position_));
      failure.offset = position_;
      return failure;
    }
    // Asking again after the end would make a terminal wait for a second end-of-file key.
    if (got == 0 || ops_.stream_ended(file_)) break;
  }
  return done;
}

}  // namespace bdelta::io
