#include "arguments.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>

#include "file_objects.hpp"
#include "memory.hpp"

namespace bdelta::python {
namespace {

// Keeps what is exported with the reader over it.
class BufferReader final : public MemoryReader {
 public:
  explicit BufferReader(std::unique_ptr<Buffer> buffer) : MemoryReader(buffer->bytes()), buffer_(std::move(buffer)) {}

 private:
  const std::unique_ptr<Buffer> buffer_;
};

class BufferStream final : public MemoryStream {
 public:
  explicit BufferStream(std::unique_ptr<Buffer> buffer) : MemoryStream(buffer->bytes()), buffer_(std::move(buffer)) {}

 private:
  const std::unique_ptr<Buffer> buffer_;
};

[[noreturn]] void refuse(nb::handle what, const char* name, const char* wanted) {
  const std::string found = nb::cast<std::string>(what.type().attr("__name__"));
  throw nb::type_error((std::string(name) + ": expected " + wanted + ", found " + found).c_str());
}

}  // namespace

nb::object text_of(const std::string& text) {
  return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}

std::optional<std::filesystem::path> path_of(nb::handle what) {
  if (!PyUnicode_Check(what.ptr()) && !nb::hasattr(what, "__fspath__")) return std::nullopt;
  nb::object bytes;
  PyObject* encoded = nullptr;
  if (PyUnicode_FSConverter(what.ptr(), &encoded) == 0) throw nb::python_error();
  bytes = nb::steal(encoded);
  return std::filesystem::path(std::string(PyBytes_AsString(encoded), static_cast<std::size_t>(PyBytes_Size(encoded))));
}

Buffer::Buffer(nb::handle what, bool writable) {
  if (PyObject_GetBuffer(what.ptr(), &view_, writable ? PyBUF_WRITABLE : PyBUF_SIMPLE) != 0) throw nb::python_error();
}

Buffer::~Buffer() { PyBuffer_Release(&view_); }

RandomInput::RandomInput(Call& call, nb::handle what, const char* name) : path_(path_of(what)) {
  if (path_) return;
  if (PyObject_CheckBuffer(what.ptr()) != 0) {
    reader_ = std::make_unique<BufferReader>(std::make_unique<Buffer>(what, false));
  } else if (nb::hasattr(what, "read") && nb::hasattr(what, "seek")) {
    reader_ = std::make_unique<FileReader>(call, nb::borrow(what));
  } else {
    refuse(what, name, "a path, a bytes-like object or a binary file that can seek");
  }
}

Result<RandomReader*> RandomInput::open(const FileOptions& options) {
  if (!reader_) {
    auto opened = open_random(*path_, options);
    if (!opened) return std::move(opened).error();
    reader_ = std::move(*opened);
  }
  return reader_.get();
}

StreamInput::StreamInput(Call& call, nb::handle what, const char* name) : path_(path_of(what)) {
  if (path_) return;
  if (PyObject_CheckBuffer(what.ptr()) != 0) {
    reader_ = std::make_unique<BufferStream>(std::make_unique<Buffer>(what, false));
  } else if (nb::hasattr(what, "read")) {
    reader_ = std::make_unique<FileStream>(call, nb::borrow(what));
  } else {
    refuse(what, name, "a path, a bytes-like object or a binary file");
  }
}

Result<SequentialReader*> StreamInput::open(const FileOptions& options) {
  if (!reader_) {
    auto opened = open_sequential(*path_, options);
    if (!opened) return std::move(opened).error();
    reader_ = std::move(*opened);
  }
  return reader_.get();
}

Output::Output(Call& call, nb::handle what, const char* name) : path_(path_of(what)) {
  if (path_) return;
  if (PyObject_CheckBuffer(what.ptr()) != 0) {
    buffer_ = std::make_unique<Buffer>(what, true);
    memory_ = std::make_unique<MemoryTarget>(buffer_->bytes());
  } else if (nb::hasattr(what, "write")) {
    stream_ = std::make_unique<FileWriter>(call, nb::borrow(what));
  } else {
    refuse(what, name, "a path, a writable bytes-like object or a binary file");
  }
}

std::uint64_t Output::room_bytes() const noexcept { return buffer_ ? buffer_->bytes().size() : ~std::uint64_t{0}; }

Status Output::open(const FileOptions& options) {
  if (!path_) return {};
  auto opened = open_output(*path_, options);
  if (!opened) return std::move(opened).error();
  file_ = std::move(*opened);
  return {};
}

PositionedWriter* Output::positioned() const noexcept { return file_ ? file_->positioned() : memory_.get(); }

SequentialWriter* Output::forward() const noexcept { return file_ ? file_.get() : stream_.get(); }

Status Output::finish() {
  if (PositionedWriter* const writer = positioned()) return writer->finish();
  return forward()->finish();
}

}  // namespace bdelta::python
