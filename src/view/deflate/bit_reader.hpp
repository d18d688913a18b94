// Bits of a deflate stream, the lowest of each byte first. Behind the end come zeros; ended_early() tells whether any
// of them were taken.
#pragma once

#include <functional>

#include "base/bytes.hpp"

namespace bdelta::deflate {

// The bytes of a stream from a position on, as many as are at hand: kLeastPieceBytes, unless it ends before. Valid until the next call.
using PackedPieces = std::function<ByteSpan(std::uint64_t pos)>;
inline constexpr std::size_t kLeastPieceBytes = std::size_t{72} << 10;

class BitReader {
 public:
  static constexpr unsigned kRefilledBits = 56;  // that are there after refill()

  // pieces: where there is more behind these bytes; null: nowhere. It must outlive the object.
  explicit BitReader(ByteSpan bytes, const PackedPieces* pieces = nullptr) noexcept
      : begin_(bytes.data()), at_(bytes.data()), end_(bytes.data() + bytes.size()), pieces_(pieces) {}

  void refill() {
    if (end_ - at_ >= 8) [[likely]] refill_at_once();
    else refill_at_end();
  }

  // The next bits, from the lowest on; those above the refilled ones are unspecified.
  [[nodiscard]] std::uint64_t peek() const noexcept { return bits_; }
  void drop(unsigned count) noexcept {
    bits_ >>= count;
    count_ -= count;
  }

  // count: 0 to 32.
  [[nodiscard]] std::uint32_t take(unsigned count) {
    if (count_ < count) refill();
    const auto value = static_cast<std::uint32_t>(bits_ & ((std::uint64_t{1} << count) - 1));
    drop(count);
    return value;
  }

  // Bytes of which a bit was taken.
  [[nodiscard]] std::uint64_t taken_bytes() const noexcept {
    return pos() + missing_bytes_ - count_ / 8;
  }
  [[nodiscard]] std::uint64_t taken_bits() const noexcept {
    return 8 * (pos() + missing_bytes_) - count_;
  }
  [[nodiscard]] bool ended_early() const noexcept { return missing_bytes_ > count_ / 8; }

  // Gives the bits that are skipped.
  std::uint32_t skip_to_byte() { return take(count_ % 8); }

  // The next `count` bytes, fewer than kLeastPieceBytes - 8; empty if there are fewer. At a byte's boundary only.
  [[nodiscard]] ByteSpan take_bytes(std::size_t count) {
    if (ended_early()) return {};
    at_ -= count_ / 8 - missing_bytes_;
    bits_ = 0;
    count_ = 0;
    missing_bytes_ = 0;
    if (static_cast<std::size_t>(end_ - at_) < count && pieces_) take_piece();
    if (static_cast<std::size_t>(end_ - at_) < count) return {};
    const ByteSpan bytes{at_, count};
    at_ += count;
    return bytes;
  }

 private:
  static constexpr std::uint64_t kBehindBytes = 8;  // of a piece, which take_bytes() may give back

  [[nodiscard]] std::uint64_t pos() const noexcept { return base_ + static_cast<std::uint64_t>(at_ - begin_); }

  void refill_at_once() noexcept {
    bits_ |= load_le<std::uint64_t>(at_) << count_;
    const unsigned bytes = (63 - count_) / 8;
    at_ += bytes;
    count_ += 8 * bytes;
  }

  // Apart from the loops, as they are rare.
  void refill_at_end();
  void take_piece();

  std::uint64_t base_ = 0;  // of begin_, in the stream
  const std::uint8_t* begin_;
  const std::uint8_t* at_;
  const std::uint8_t* end_;
  const PackedPieces* pieces_;
  std::uint64_t bits_ = 0;
  unsigned count_ = 0;
  unsigned missing_bytes_ = 0;  // zeros in the place of bytes, taken or not
};

}  // namespace bdelta::deflate
