// A binary range coder: one bit at a time, each with the probability that it is 1.
//
// The coder narrows an interval [low, low + range) to the share of the bit that came; the code is a number inside the
// last interval. Range has 32 bits and is kept at 2^24 or more: below, its top byte is settled and goes out. A carry out of
// the 32 bits of low may still change bytes that are settled. So the last one and those of value 255 behind it wait until
// they can't change. Probabilities have 16 bits and are never 0 or 65536, so neither share is empty. Range coding is G.
// Martin's (1979), the waiting for carries that of LZMA.
//
// Encoder and decoder have the same face: bit() takes the bit and gives it back, or ignores what it is given and
// gives the bit that was read. So a model is written once for both, and they can't drift apart.
#pragma once

#include <array>
#include <cstdint>

#include "base/fixed_log2.hpp"
#include "model/streams.hpp"

namespace bdelta {

inline constexpr std::uint32_t kRangeFloor = std::uint32_t{1} << 24;
inline constexpr unsigned kCodeBytes = 4;  // that a decoder is ahead of what is settled

// How far above `low` lies that number of [low, low + range) that ends in the most zeros. It ends a code.
constexpr std::uint32_t roundest_offset(std::uint32_t low, std::uint32_t range) {
  for (unsigned zeros = 31; zeros > 0; --zeros) {
    const std::uint32_t offset = (0 - low) & ((std::uint32_t{1} << zeros) - 1);
    if (offset < range) return offset;
  }
  return 0;
}

class RangeEncoder {
 public:
  static constexpr bool kDecoding = false;

  // one: probability of a 1 in 65536ths, 1 to 65535.
  unsigned bit(unsigned bit, std::uint32_t one) {
    const std::uint32_t share = (range_ >> 16) * one;
    if (bit != 0) {
      range_ = share;
    } else {
      low_ += share;
      range_ -= share;
    }
    while (range_ < kRangeFloor) {
      range_ <<= 8;
      shift();
    }
    return bit;
  }

  // Bytes that a decoder has taken once it has read all bits so far.
  [[nodiscard]] std::uint64_t taken_bytes() const noexcept { return kCodeBytes + shift_count_; }

  // From here on bits belong to `stream`, as bits_of_streams() tells in the end.
  void enter(StreamId stream) {
    const std::int64_t now = (8 * static_cast<std::int64_t>(shift_count_) + 32) * kLog2One - log2_fixed(range_);
    bits_of_[stream_] += now - entered_at_;
    entered_at_ = now;
    stream_ = stream;
  }
  // In 1/64 bit.
  [[nodiscard]] const std::array<std::int64_t, kStreamCount>& bits_of_streams() const noexcept { return bits_of_; }

  // The code, without the zeros at its end.
  [[nodiscard]] Bytes finish() {
    low_ += roundest_offset(static_cast<std::uint32_t>(low_), range_);
    for (unsigned i = 0; i <= kCodeBytes; ++i) shift();
    while (!bytes_.empty() && bytes_.back() == 0) bytes_.pop_back();
    return std::move(bytes_);
  }

 private:
  void shift() {
    ++shift_count_;
    if (low_ < 0xff000000u || low_ > 0xffffffffu) {
      const auto carry = static_cast<std::uint8_t>(low_ >> 32);
      // The code is below 1, so the byte in front of the first is 0 and stays out.
      if (begun_) bytes_.push_back(static_cast<std::uint8_t>(held_ + carry));
      begun_ = true;
      for (; pending_ > 0; --pending_) bytes_.push_back(static_cast<std::uint8_t>(0xff + carry));
      held_ = static_cast<std::uint8_t>(low_ >> 24);
    } else {
      ++pending_;
    }
    low_ = (low_ & 0x00ffffff) << 8;
  }

  std::uint64_t low_ = 0;  // 33 bits: the carry on top
  std::uint32_t range_ = 0xffffffff;
  std::uint8_t held_ = 0;
  bool begun_ = false;
  std::uint64_t pending_ = 0;  // bytes of 255 behind the held one
  std::uint64_t shift_count_ = 0;
  Bytes bytes_;
  std::array<std::int64_t, kStreamCount> bits_of_{};
  std::int64_t entered_at_ = 0;
  StreamId stream_ = kLiteralLengths;
};

// Where a decoder gets its bytes.
class CodeFeed {
 public:
  virtual ~CodeFeed() = default;

  // The next bytes, which stay valid until the next call; empty where there are no more. An error is kept by the feed.
  virtual ByteSpan more() = 0;
};

class RangeDecoder {
 public:
  static constexpr bool kDecoding = true;

  explicit RangeDecoder(CodeFeed& feed) : feed_(feed) {}

  // Takes the first bytes; once, before the first bit.
  void begin() {
    for (unsigned i = 0; i < kCodeBytes; ++i) code_ = code_ << 8 | next();
    latest_ = code_;
  }

  void enter(StreamId) {}

  unsigned bit(unsigned, std::uint32_t one) {
    const std::uint32_t share = (range_ >> 16) * one;
    // With a branch: most bits are as foreseen, and then the work on the next one need not wait for this one.
    unsigned bit = 1;
    if (code_ < share) {
      range_ = share;
    } else {
      code_ -= share;
      range_ -= share;
      bit = 0;
    }
    while (range_ < kRangeFloor) {
      range_ <<= 8;
      const std::uint32_t byte = next();
      code_ = code_ << 8 | byte;
      latest_ = latest_ << 8 | byte;
    }
    return bit;
  }

  // After the last bit: whether the code is the one that an encoder gives, of all that decode to these bits.
  [[nodiscard]] bool ends_well() const { return code_ == roundest_offset(latest_ - code_, range_); }

  // Bytes at hand that have not been taken.
  [[nodiscard]] std::uint64_t left() const noexcept { return static_cast<std::uint64_t>(end_ - at_); }

 private:
  std::uint32_t next() {
    if (at_ == end_) refill();
    return ended_ ? 0 : *at_++;
  }

  void refill() {
    if (ended_) return;
    const ByteSpan bytes = feed_.more();
    at_ = bytes.data();
    end_ = at_ + bytes.size();
    ended_ = bytes.empty();
  }

  CodeFeed& feed_;
  const std::uint8_t* at_ = nullptr;
  const std::uint8_t* end_ = nullptr;
  bool ended_ = false;  // behind the last byte the code goes on with zeros
  std::uint32_t code_ = 0;    // how far the code lies above the interval's low end
  std::uint32_t latest_ = 0;  // the last four bytes of the code
  std::uint32_t range_ = 0xffffffff;
};

}  // namespace bdelta
