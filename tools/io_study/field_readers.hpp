// Two ways to have the fields of a file: a call for each, or decoding inline.
//
// The "general reader" is what libraries of many languages offer. Its interface has a read(span) that copies the
// bytes of one field from a buffer, through a virtual call with its checks. TypedReader holds the buffer itself, so a
// field is a comparison and a load.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>

#include "base/bytes.hpp"
#include "cases.hpp"
#include "io/typed_reader.hpp"

namespace io_study {

// A buffer in front of the file, read by calls.
class GeneralReader final : public bdelta::SequentialReader {
 public:
  explicit GeneralReader(bdelta::SequentialReader& source) : source_(source), buffer_(kLayerBufferBytes) {}

  bdelta::Result<std::size_t> read(bdelta::MutableByteSpan out) override {
    std::size_t done = 0;
    while (done < out.size()) {
      if (at_ == end_) {
        at_ = 0;
        end_ = must(source_.read(buffer_));
        if (end_ == 0) break;
      }
      const std::size_t count = std::min(out.size() - done, end_ - at_);
      std::memcpy(out.data() + done, buffer_.data() + at_, count);
      at_ += count;
      done += count;
    }
    return done;
  }

 private:
  bdelta::SequentialReader& source_;
  bdelta::Bytes buffer_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

// Fields through any bdelta::SequentialReader, one call each; a varint takes a call for each of its bytes.
class FieldsByCalls {
 public:
  explicit FieldsByCalls(bdelta::SequentialReader& from) : from_(&from) {}

  template <class T>
  std::uint64_t le() {
    std::array<std::uint8_t, sizeof(T)> bytes;
    read(bytes);
    return bdelta::load_le<T>(bytes.data());
  }
  std::uint64_t u8() { return le<std::uint8_t>(); }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint64_t byte = u8();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }
  void read(bdelta::MutableByteSpan out) {
    if (must(from_->read(out)) != out.size()) throw Failure("the records ended before their expected end");
  }
  void finish() {}

 private:
  // Volatile: the compiler can't tell which class it is, as in a real program.
  bdelta::SequentialReader* volatile from_;
};

// The same words over TypedReader.
class FieldsInline {
 public:
  explicit FieldsInline(bdelta::SequentialReader& from) : from_(from, kLayerBufferBytes) {}

  template <class T>
  std::uint64_t le() { return from_.le<T>(); }
  std::uint64_t u8() { return from_.u8(); }
  std::uint64_t varint() { return from_.varint(); }
  void read(bdelta::MutableByteSpan out) { (void)from_.read_exact(out); }
  void finish() { must(from_.status()); }
  bdelta::io::TypedReader& reader() { return from_; }

 private:
  bdelta::io::TypedReader from_;
};

}  // namespace io_study
