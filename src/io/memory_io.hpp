// Readers and writers over memory, for internal streams and for tests.
#pragma once

#include <algorithm>
#include <cstring>
#include <new>

#include "base/bytes.hpp"
#include "base/checked.hpp"
#include "bdelta/io.hpp"

namespace bdelta::io {

// Does not own the bytes.
class MemoryReader final : public RandomReader {
 public:
  explicit MemoryReader(ByteSpan bytes) noexcept : bytes_(bytes) {}

  [[nodiscard]] std::uint64_t size() const noexcept override { return bytes_.size(); }
  [[nodiscard]] ByteSpan view() const noexcept override { return bytes_; }

  Status read_at(std::uint64_t pos, MutableByteSpan out) override {
    if (!range_fits(pos, out.size(), bytes_.size())) {
      return Error{ErrorCode::kReadFailed, "asked for " + std::to_string(out.size()) + " bytes of a memory of " +
                                               std::to_string(bytes_.size()), pos};
    }
    if (!out.empty()) std::memcpy(out.data(), bytes_.data() + static_cast<std::size_t>(pos), out.size());
    return {};
  }

 private:
  ByteSpan bytes_;
};

// Does not own the bytes.
class MemorySequentialReader final : public SequentialReader {
 public:
  explicit MemorySequentialReader(ByteSpan bytes) noexcept : rest_(bytes) {}

  Result<std::size_t> read(MutableByteSpan out) override {
    const std::size_t count = std::min(out.size(), rest_.size());
    if (count != 0) std::memcpy(out.data(), rest_.data(), count);
    rest_ = rest_.subspan(count);
    return count;
  }

 private:
  ByteSpan rest_;
};

// Appends to bytes of the caller; kOutputLimit rather than more than `limit` bytes in all.
class MemoryWriter final : public SequentialWriter {
 public:
  explicit MemoryWriter(Bytes& to, std::uint64_t limit = ~std::uint64_t{0}) noexcept : to_(to), limit_(limit) {}

  Status write(ByteSpan bytes) override {
    if (!range_fits(to_.size(), bytes.size(), limit_)) {
      return Error{ErrorCode::kOutputLimit, "the limit is " + std::to_string(limit_) + " bytes", to_.size()};
    }
    try {
      append(to_, bytes);
    } catch (const std::bad_alloc&) {
      return Error{ErrorCode::kOutOfMemory, "after " + std::to_string(to_.size()) + " bytes"};
    }
    return {};
  }

  Status finish() override { return {}; }

 private:
  Bytes& to_;
  std::uint64_t limit_;
};

}  // namespace bdelta::io
