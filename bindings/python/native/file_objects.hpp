// Readers and writers that call file objects of Python: anything with `read`, and `seek` and `tell` or `write`.
//
// Bytes are handed over as objects of their own, a piece at a time: none of the library's memory stays with an object that
// keeps what it is given. What a method raises ends the call and is raised by it.
#pragma once

#include <utility>

#include "bdelta/io.hpp"
#include "call.hpp"

namespace bdelta::python {

class FileReader final : public RandomReader {
 public:
  // Takes the size by seeking to the end. Throws what that raises. With the GIL, as for the others.
  FileReader(Call& call, nb::object file);

  [[nodiscard]] std::uint64_t size() const noexcept override { return size_; }
  Status read_at(std::uint64_t pos, MutableByteSpan out) override;

 private:
  Call& call_;
  const nb::object file_;
  std::uint64_t size_ = 0;
};

class FileStream final : public SequentialReader {
 public:
  FileStream(Call& call, nb::object file) : call_(call), file_(std::move(file)) {}
  Result<std::size_t> read(MutableByteSpan out) override;

 private:
  Call& call_;
  const nb::object file_;
};

class FileWriter final : public SequentialWriter {
 public:
  FileWriter(Call& call, nb::object file) : call_(call), file_(std::move(file)) {}
  Status write(ByteSpan bytes) override;
  Status finish() override { return {}; }

 private:
  Call& call_;
  const nb::object file_;
};

}  // namespace bdelta::python
