#include "file_objects.hpp"

#include <algorithm>
#include <string>

namespace bdelta::python {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

[[noreturn]] void raise_from(PyObject* type, const std::string& message) {
  PyErr_SetString(type, message.c_str());
  throw nb::python_error();
}

// Fills `out` as far as the file has bytes, and says how many came.
std::size_t read_into(const nb::object& file, MutableByteSpan out) {
  std::size_t count = 0;
  while (count < out.size()) {
    const std::size_t wanted = std::min(kPieceBytes, out.size() - count);
    const nb::object piece = file.attr("read")(wanted);
    if (piece.is_none()) raise_from(PyExc_BlockingIOError, "read() has no bytes now: the file does not block");
    if (!PyBytes_Check(piece.ptr())) {
      raise_from(PyExc_TypeError, "read() has to give bytes: open the file in binary mode");
    }
    const auto size = static_cast<std::size_t>(PyBytes_Size(piece.ptr()));
    if (size > wanted) raise_from(PyExc_OSError, "read() gave more bytes than it was asked for");
    if (size == 0) break;
    std::copy_n(reinterpret_cast<const std::uint8_t*>(PyBytes_AsString(piece.ptr())), size, out.data() + count);
    count += size;
  }
  return count;
}

// How many bytes of the piece were taken, as `write` says. Many objects say nothing and take all.
std::size_t write_piece(const nb::object& file, ByteSpan piece) {
  const nb::object taken = file.attr("write")(nb::bytes(piece.data(), piece.size()));
  if (taken.is_none()) {
    if (nb::isinstance(file, nb::module_::import_("io").attr("RawIOBase"))) {
      raise_from(PyExc_BlockingIOError, "write() takes no bytes now: the file does not block");
    }
    return piece.size();
  }
  std::size_t count = 0;
  if (!nb::try_cast(taken, count) || count == 0 || count > piece.size()) {
    raise_from(PyExc_OSError, "write() has to give the number of bytes that it took");
  }
  return count;
}

}  // namespace

FileReader::FileReader(Call& call, nb::object file) : call_(call), file_(std::move(file)) {
  constexpr int kFromEnd = 2;
  file_.attr("seek")(0, kFromEnd);
  size_ = nb::cast<std::uint64_t>(file_.attr("tell")());
}

Status FileReader::read_at(std::uint64_t pos, MutableByteSpan out) {
  return call_.with_python(ErrorCode::kReadFailed, [&]() -> Status {
    file_.attr("seek")(pos);
    const std::size_t count = read_into(file_, out);
    if (count == out.size()) return {};
    return Error{.code = ErrorCode::kInputTruncated,
                 .detail = "the file object has ended before its " + std::to_string(size_) + " bytes",
                 .offset = pos + count};
  });
}

Result<std::size_t> FileStream::read(MutableByteSpan out) {
  return call_.with_python(ErrorCode::kReadFailed, [&]() -> Result<std::size_t> { return read_into(file_, out); });
}

Status FileWriter::write(ByteSpan bytes) {
  return call_.with_python(ErrorCode::kWriteFailed, [&]() -> Status {
    while (!bytes.empty()) bytes = bytes.subspan(write_piece(file_, bytes.first(std::min(bytes.size(), kPieceBytes))));
    return {};
  });
}

}  // namespace bdelta::python
