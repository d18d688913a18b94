// Bytes without first values: for large buffers that are written before they are read, by the threads that write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "bdelta/io.hpp"

namespace bdelta {

class ByteBuffer {
 public:
  ByteBuffer() = default;
  explicit ByteBuffer(std::size_t size) : bytes_(std::make_unique_for_overwrite<std::uint8_t[]>(size)), size_(size) {}

  [[nodiscard]] MutableByteSpan span() noexcept { return {bytes_.get(), size_}; }
  [[nodiscard]] ByteSpan span() const noexcept { return {bytes_.get(), size_}; }

 private:
  std::unique_ptr<std::uint8_t[]> bytes_;
  std::size_t size_ = 0;
};

}  // namespace bdelta
