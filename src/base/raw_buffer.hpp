// An array without first values: for what is large, and written before it is read by the threads that write it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/large_pages.hpp"

namespace bdelta {

template <class T>
class RawBuffer {
 public:
  RawBuffer() = default;
  explicit RawBuffer(std::size_t size) : items_(std::make_unique_for_overwrite<T[]>(size)), size_(size) {
    prefer_large_pages(items_.get(), size * sizeof(T));
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  [[nodiscard]] T& operator[](std::size_t index) noexcept { return items_[index]; }
  [[nodiscard]] const T& operator[](std::size_t index) const noexcept { return items_[index]; }

  [[nodiscard]] std::span<T> span() noexcept { return {items_.get(), size_}; }
  [[nodiscard]] std::span<const T> span() const noexcept { return {items_.get(), size_}; }

 private:
  std::unique_ptr<T[]> items_;
  std::size_t size_ = 0;
};

using ByteBuffer = RawBuffer<std::uint8_t>;

// Makes `buffer` at least of that size, whatever it holds then: its own memory goes first.
inline void renew(ByteBuffer& buffer, std::size_t size) {
  if (buffer.size() >= size) return;
  buffer = {};
  buffer = ByteBuffer(size);
}

}  // namespace bdelta
