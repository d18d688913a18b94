// The byte sources and sinks that create, apply and inspect work on. Implement them to feed the library from
// memory, a network or a container; `open_*` in bdelta/files.hpp gives the ones for files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bdelta/error.hpp"

namespace bdelta {

using ByteSpan = std::span<const std::uint8_t>;
using MutableByteSpan = std::span<std::uint8_t>;

// Positioned reading of something whose size is known: OLD, and NEW when a patch is made.
class BDELTA_PUBLIC RandomReader {
 public:
  virtual ~RandomReader() = default;

  // Size in bytes, fixed when the reader was opened.
  [[nodiscard]] virtual std::uint64_t size() const noexcept = 0;

  // Fills `out` with the bytes at [pos, pos + out.size()). Anything less is an error: kInputTruncated where the
  // file has become shorter, kReadFailed otherwise. May be called from several threads at once.
  virtual Status read_at(std::uint64_t pos, MutableByteSpan out) = 0;

  // All bytes as memory, valid as long as the reader, or an empty span where there is no such view.
  // A mapped view turns an I/O error or a truncation by someone else into a signal: see bdelta/files.hpp.
  [[nodiscard]] virtual ByteSpan view() const noexcept { return {}; }

  // kInputChanged if the file behind the reader is no longer what was opened (size, times, identity).
  virtual Status check_unchanged() { return {}; }
};

// Forward reading: the patch.
class BDELTA_PUBLIC SequentialReader {
 public:
  virtual ~SequentialReader() = default;

  // Reads up to out.size() bytes; fewer only at the end, 0 at the end. One thread at a time.
  virtual Result<std::size_t> read(MutableByteSpan out) = 0;
};

// Forward writing: the patch, or NEW into a stream.
class BDELTA_PUBLIC SequentialWriter {
 public:
  virtual ~SequentialWriter() = default;

  // Takes all bytes or fails. One thread at a time.
  virtual Status write(ByteSpan bytes) = 0;

  // Flushes and closes; reports what a destructor could not. Call once, last.
  virtual Status finish() = 0;
};

// Writing at positions: NEW into a regular file, windows in any order.
class BDELTA_PUBLIC PositionedWriter {
 public:
  virtual ~PositionedWriter() = default;

  // Writes all bytes at [pos, pos + size). Ranges never overlap. May be called from several threads at once.
  virtual Status write_at(std::uint64_t pos, ByteSpan bytes) = 0;

  // As SequentialWriter::finish; also makes the file visible under its name where it was opened so.
  virtual Status finish() = 0;
};

}  // namespace bdelta
