// The step that StdioReader and StdioWriter share: a descriptor becomes a stream with a buffer of ours.
#pragma once

#include <cerrno>
#include <cstdio>
#include <memory>
#include <new>

#include "base/try.hpp"
#include "io/file_error.hpp"
#include "io/file_handle.hpp"

namespace bdelta::io {

inline constexpr std::uint64_t kMostBufferBytes = std::uint64_t{64} << 20;

inline Status check_buffer_bytes(std::uint64_t buffer_bytes) {
  if (buffer_bytes <= kMostBufferBytes) return {};
  return Error{ErrorCode::kUsage, "the I/O buffer is to be " + std::to_string(buffer_bytes) +
                                      " bytes, at most 67108864 (64 MiB) are allowed"};
}

// Buffers of one byte are not allowed everywhere and help nowhere: they count as none.
inline Result<std::FILE*> open_buffered(FileHandle file, bool for_writing, std::uint64_t buffer_bytes,
                                        std::unique_ptr<char[]>& buffer, const std::filesystem::path& name) {
  BDELTA_TRY(check_buffer_bytes(buffer_bytes));
  const std::size_t size = buffer_bytes < 2 ? 0 : static_cast<std::size_t>(buffer_bytes);
  if (size != 0) {
    buffer.reset(new (std::nothrow) char[size]);
    if (!buffer) {
      return Error{ErrorCode::kOutOfMemory, "for an I/O buffer of " + std::to_string(size) + " bytes"};
    }
  }
  const FileOps& ops = file.ops();
  std::FILE* stream = ops.open_stream(file.fd(), for_writing, ops);
  if (stream == nullptr) return file_error(errno, ErrorCode::kOpenFailed, name, "as a stream");
  (void)file.release();
  if (ops.set_buffer(stream, buffer.get(), size) != 0) {
    const int error = errno;
    (void)ops.close_stream(stream);
    return file_error(error, ErrorCode::kOpenFailed, name, "cannot set the I/O buffer");
  }
  return stream;
}

}  // namespace bdelta::io
