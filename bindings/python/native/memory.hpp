// Readers and writers over memory that Python owns.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "bdelta/io.hpp"

namespace bdelta::python {

// Does not own the bytes.
class MemoryReader : public RandomReader {
 public:
  explicit MemoryReader(ByteSpan bytes) noexcept : bytes_(bytes) {}

  [[nodiscard]] std::uint64_t size() const noexcept override { return bytes_.size(); }
  [[nodiscard]] ByteSpan view() const noexcept override { return bytes_; }

  Status read_at(std::uint64_t pos, MutableByteSpan out) override {
    if (pos > bytes_.size() || out.size() > bytes_.size() - pos) {
      return Error{.code = ErrorCode::kInputTruncated, .detail = "in memory", .offset = pos};
    }
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(pos), out.size(), out.begin());
    return {};
  }

 private:
  ByteSpan bytes_;
};

// Does not own the bytes.
class MemoryStream : public SequentialReader {
 public:
  explicit MemoryStream(ByteSpan bytes) noexcept : rest_(bytes) {}

  Result<std::size_t> read(MutableByteSpan out) override {
    const std::size_t count = std::min(out.size(), rest_.size());
    std::copy_n(rest_.begin(), count, out.begin());
    rest_ = rest_.subspan(count);
    return count;
  }

 private:
  ByteSpan rest_;
};

// NEW in memory that has room for it: whoever applies limits the output to its size.
class MemoryTarget final : public PositionedWriter {
 public:
  explicit MemoryTarget(MutableByteSpan room) noexcept : room_(room) {}

  Status write_at(std::uint64_t pos, ByteSpan bytes) override {
    if (pos > room_.size() || bytes.size() > room_.size() - pos) {
      return Error{ErrorCode::kOutputLimit, "the buffer has " + std::to_string(room_.size()) + " bytes"};
    }
    std::copy(bytes.begin(), bytes.end(), room_.begin() + static_cast<std::ptrdiff_t>(pos));
    return {};
  }

  Status finish() override { return {}; }

 private:
  MutableByteSpan room_;
};

}  // namespace bdelta::python
