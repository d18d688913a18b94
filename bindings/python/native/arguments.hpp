// What OLD, NEW and PATCH may be in Python: paths, bytes-like objects and file objects, as the library reads and writes
// them.
//
// They are made and destroyed with the GIL, opened and used without it. Buffers are used where they lie, and stay exported
// as long as the object lives. File objects are called with the GIL, one at a time.
#pragma once

#include <nanobind/nanobind.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "bdelta/files.hpp"
#include "call.hpp"

namespace bdelta::python {

// A str of text that may hold names of any bytes. With the GIL.
[[nodiscard]] nb::object text_of(const std::string& text);

// A str or an os.PathLike; nothing for other objects. Throws what __fspath__ raises.
[[nodiscard]] std::optional<std::filesystem::path> path_of(nb::handle what);

// The bytes of a bytes-like object; throws BufferError where they don't lie in one piece, or can't be written.
class Buffer {
 public:
  Buffer(nb::handle what, bool writable);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  [[nodiscard]] MutableByteSpan bytes() const noexcept {
    return {static_cast<std::uint8_t*>(view_.buf), static_cast<std::size_t>(view_.len)};
  }

 private:
  Py_buffer view_{};
};

// OLD, or NEW of create. A file object is sought in, and read from its start to its end.
class RandomInput {
 public:
  // `name` is what messages call it. TypeError for what is none of the three.
  RandomInput(Call& call, nb::handle what, const char* name);

  [[nodiscard]] const std::optional<std::filesystem::path>& path() const noexcept { return path_; }

  // Without the GIL. The reader lives as long as this object.
  Result<RandomReader*> open(const FileOptions& options);

 private:
  std::optional<std::filesystem::path> path_;
  std::unique_ptr<RandomReader> reader_;
};

// A patch that is read. A file object is read from where it is.
class StreamInput {
 public:
  StreamInput(Call& call, nb::handle what, const char* name);

  [[nodiscard]] const std::optional<std::filesystem::path>& path() const noexcept { return path_; }
  Result<SequentialReader*> open(const FileOptions& options);

 private:
  std::optional<std::filesystem::path> path_;
  std::unique_ptr<SequentialReader> reader_;
};

// NEW of apply, or the patch of create. A file object is written to from where it is, and not closed.
class Output {
 public:
  Output(Call& call, nb::handle what, const char* name);

  [[nodiscard]] const std::optional<std::filesystem::path>& path() const noexcept { return path_; }

  // Bytes that a buffer has room for; without a bound for others.
  [[nodiscard]] std::uint64_t room_bytes() const noexcept;

  // Without the GIL, before the rest.
  Status open(const FileOptions& options);
  [[nodiscard]] PositionedWriter* positioned() const noexcept;  // null where it can only be written forwards
  [[nodiscard]] SequentialWriter* forward() const noexcept;     // null where `positioned` has to be used
  Status finish();
  void abandon() noexcept { file_.reset(); }  // without effect on what is finished

 private:
  std::optional<std::filesystem::path> path_;
  std::unique_ptr<Buffer> buffer_;
  std::unique_ptr<OutputFile> file_;
  std::unique_ptr<PositionedWriter> memory_;
  std::unique_ptr<SequentialWriter> stream_;
};

}  // namespace bdelta::python
