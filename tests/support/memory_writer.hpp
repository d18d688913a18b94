#pragma once

#include <new>
#include <string>

#include "base/bytes.hpp"
#include "base/checked.hpp"
#include "bdelta/io.hpp"

namespace bdelta::test {

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

}  // namespace bdelta::test
