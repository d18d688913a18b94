// Bytes that end where memory ends: the page behind them can't be touched, so that reading one byte too far is a fault
// in every build, not only under AddressSanitizer.
#pragma once

#include <cstddef>

#include "base/bytes.hpp"

namespace bdelta::test {

class GuardedBytes {
 public:
  // Where there are no such pages, and where the system gives none, it is a plain copy of exactly that size.
  explicit GuardedBytes(ByteSpan bytes) : GuardedBytes(bytes.size()) { copy(bytes); }
  explicit GuardedBytes(std::size_t size);  // zeros
  ~GuardedBytes();
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

  [[nodiscard]] ByteSpan bytes() const noexcept { return {begin_, size_}; }
  [[nodiscard]] MutableByteSpan writable() noexcept { return {begin_, size_}; }

 private:
  void copy(ByteSpan bytes) noexcept;

  std::uint8_t* begin_ = nullptr;
  std::size_t size_ = 0;
  void* mapping_ = nullptr;  // null: `plain_` holds the bytes
  std::size_t mapping_bytes_ = 0;
  Bytes plain_;
};

}  // namespace bdelta::test
