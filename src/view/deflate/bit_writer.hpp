// Bits of a deflate stream, the lowest of each byte first, into a growing buffer.
#pragma once

#include "base/bytes.hpp"

namespace bdelta::deflate {

class BitWriter {
 public:
  // count: 0 to 32; value has no bits above these.
  void put(std::uint32_t value, unsigned count) {
    bits_ |= std::uint64_t{value} << count_;
    count_ += count;
    if (count_ >= 32) {
      append_le(bytes_, static_cast<std::uint32_t>(bits_));
      bits_ >>= 32;
      count_ -= 32;
    }
  }

  // Fills the byte that was begun with zeros.
  void align() {
    for (; count_ > 0; count_ = count_ > 8 ? count_ - 8 : 0, bits_ >>= 8) bytes_.push_back(static_cast<std::uint8_t>(bits_));
    bits_ = 0;
  }

  // At a byte's boundary only.
  void put_bytes(ByteSpan bytes) { append(bytes_, bytes); }

  // What is complete so far, but for less than 32 bits; clear() it when it has been taken.
  [[nodiscard]] ByteSpan bytes() const noexcept { return bytes_; }
  void clear() {
    taken_bytes_ += bytes_.size();
    bytes_.clear();
  }
  [[nodiscard]] std::uint64_t bit_count() const noexcept { return 8 * (taken_bytes_ + bytes_.size()) + count_; }

  // For those who write many bits at once (block_emit.cpp): room for `count` bytes behind bytes(), which the caller
  // fills and gives back by commit().
  struct State {
    std::uint8_t* at;
    std::uint64_t bits;
    unsigned count;  // below 32
  };
  [[nodiscard]] State begin(std::size_t count) {
    filled_ = bytes_.size();
    bytes_.resize(filled_ + count);
    return {bytes_.data() + filled_, bits_, count_};
  }
  void commit(const State& state) {
    bytes_.resize(static_cast<std::size_t>(state.at - bytes_.data()));
    bits_ = state.bits;
    count_ = state.count;
  }

 private:
  Bytes bytes_;
  std::size_t filled_ = 0;
  std::uint64_t taken_bytes_ = 0;
  std::uint64_t bits_ = 0;
  unsigned count_ = 0;  // below 32
};

}  // namespace bdelta::deflate
