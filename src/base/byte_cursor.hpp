// A reader over bytes in memory whose error is sticky: parsing code reads on and asks once at the end.
// After a failure every read gives 0 or an empty span.
#pragma once

#include "base/checked.hpp"
#include "base/varint.hpp"

namespace bdelta {

class ByteCursor {
 public:
  explicit ByteCursor(ByteSpan bytes) noexcept : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  [[nodiscard]] bool ok() const noexcept { return ok_; }
  [[nodiscard]] std::size_t available() const noexcept { return static_cast<std::size_t>(end_ - at_); }
  [[nodiscard]] const std::uint8_t* position() const noexcept { return at_; }

  std::uint8_t u8() noexcept {
    if (at_ == end_) return fail();
    return *at_++;
  }

  template <class T>
  T le() noexcept {
    if (available() < sizeof(T)) return fail();
    T value = load_le<T>(at_);
    at_ += sizeof(T);
    return value;
  }

  std::uint64_t varint() noexcept {
    if (at_ != end_ && *at_ < 0x80) return *at_++;
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ == end_) return fail();
      const std::uint64_t byte = *at_++;
      if (shift == 63 && byte > 1) return fail();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return byte == 0 && shift != 0 ? fail() : value;
    }
    return fail();
  }

  std::int64_t svarint() noexcept { return unzigzag(varint()); }

  ByteSpan bytes(std::uint64_t count) noexcept {
    if (count > available()) {
      fail();
      return {};
    }
    const ByteSpan taken{at_, static_cast<std::size_t>(count)};
    at_ += count;
    return taken;
  }

 private:
  std::uint8_t fail() noexcept {
    ok_ = false;
    at_ = end_;
    return 0;
  }

  const std::uint8_t* at_;
  const std::uint8_t* end_;
  bool ok_ = true;
};

}  // namespace bdelta
