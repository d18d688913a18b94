// Readers over memory, for internal streams and for tests.
#pragma once

#include <algorithm>
#include <cstring>

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

}  // namespace bdelta::io
