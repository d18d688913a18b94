// Zeros, of which pages take memory once they are written: for a few stretches of a large file, at their positions in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

namespace bdelta {

class SparseBuffer {
 public:
  SparseBuffer() = default;

  // Throws std::bad_alloc.
  explicit SparseBuffer(std::size_t size)
      : bytes_(static_cast<std::uint8_t*>(std::calloc(size == 0 ? 1 : size, 1)), &std::free), size_(size) {
    if (!bytes_) throw std::bad_alloc();
  }

  [[nodiscard]] std::span<std::uint8_t> span() noexcept { return {bytes_.get(), size_}; }
  [[nodiscard]] std::span<const std::uint8_t> span() const noexcept { return {bytes_.get(), size_}; }

 private:
  std::unique_ptr<std::uint8_t, void (*)(void*)> bytes_{nullptr, &std::free};
  std::size_t size_ = 0;
};

}  // namespace bdelta
