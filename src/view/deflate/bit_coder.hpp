// The range coder of recipes: bits with adaptive probabilities, and numbers made of such bits.
//
// The coder narrows an interval [low, low + range) to the share of the bit that came. The code is a number inside the
// last interval, its bytes without the zeros at the end. A probability is the mean of two estimates, one that learns
// from the last 16 bits or so and one from the last 128.
//
// Encoder and decoder have the same face: they take a bit and give it back, or ignore it and give the one that was
// read. So what stands in a recipe is written once for both (recipe_models.hpp, token_models.hpp).
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "base/bytes.hpp"

namespace bdelta::deflate {

// The probability of a 1.
class BitModel {
 public:
  static constexpr unsigned kBits = 15;

  [[nodiscard]] std::uint32_t one() const noexcept {  // in 32768ths, 1 to 32767
    const std::uint32_t mean = (std::uint32_t{fast_} + slow_) >> 2;
    return mean == 0 ? 1 : mean;
  }
  void learn(unsigned bit) noexcept {
    if (bit != 0) {
      fast_ = static_cast<std::uint16_t>(fast_ + ((65535 - fast_) >> 4));
      slow_ = static_cast<std::uint16_t>(slow_ + ((65535 - slow_) >> 7));
    } else {
      fast_ = static_cast<std::uint16_t>(fast_ - (fast_ >> 4));
      slow_ = static_cast<std::uint16_t>(slow_ - (slow_ >> 7));
    }
  }

 private:
  std::uint16_t fast_ = 32768;
  std::uint16_t slow_ = 32768;
};

inline constexpr std::uint32_t kLeastRange = std::uint32_t{1} << 24;

class BitEncoder {
 public:
  static constexpr bool kDecoding = false;

  unsigned bit(BitModel& model, unsigned bit) {
    code(bit, (range_ >> BitModel::kBits) * model.one());
    model.learn(bit);
    return bit;
  }

  // count bits that are as often 0 as 1, the highest first.
  std::uint64_t plain(unsigned count, std::uint64_t value) {
    while (count-- > 0) code(value >> count & 1, range_ >> 1);
    return value;
  }

  [[nodiscard]] std::size_t byte_count() const noexcept { return bytes_.size() + pending_; }

  [[nodiscard]] Bytes finish() {
    // Of the numbers in the last interval the one that ends in the most zeros.
    for (unsigned zeros = 31; zeros > 0; --zeros) {
      const std::uint32_t offset = (0 - static_cast<std::uint32_t>(low_)) & ((std::uint32_t{1} << zeros) - 1);
      if (offset >= range_) continue;
      low_ += offset;
      break;
    }
    for (unsigned i = 0; i < 5; ++i) shift();
    while (!bytes_.empty() && bytes_.back() == 0) bytes_.pop_back();
    return std::move(bytes_);
  }

 private:
  void code(unsigned bit, std::uint32_t share) {
    if (bit != 0) {
      range_ = share;
    } else {
      low_ += share;
      range_ -= share;
    }
    for (; range_ < kLeastRange; range_ <<= 8) shift();
  }
  void code(std::uint64_t bit, std::uint32_t share) { code(static_cast<unsigned>(bit), share); }

  void shift() {
    if (low_ < 0xff000000u || low_ > 0xffffffffu) {
      const auto carry = static_cast<std::uint8_t>(low_ >> 32);
      if (begun_) bytes_.push_back(static_cast<std::uint8_t>(held_ + carry));
      begun_ = true;
      for (; pending_ > 0; --pending_) bytes_.push_back(static_cast<std::uint8_t>(0xff + carry));
      held_ = static_cast<std::uint8_t>(low_ >> 24);
    } else {
      ++pending_;
    }
    low_ = (low_ & 0x00ffffff) << 8;
  }

  std::uint64_t low_ = 0;
  std::uint32_t range_ = 0xffffffff;
  std::uint8_t held_ = 0;       // the last byte that may still change
  bool begun_ = false;
  std::size_t pending_ = 0;     // bytes of 255 behind it
  Bytes bytes_;
};

class BitDecoder {
 public:
  static constexpr bool kDecoding = true;

  // code: has to stay where it is. Behind its end come zeros, as many as are asked for. That a code is cut short shows
  // in what it says alone, so a caller bounds how much it reads.
  explicit BitDecoder(ByteSpan code) noexcept : at_(code.data()), end_(code.data() + code.size()) {
    for (unsigned i = 0; i < 4; ++i) code_ = code_ << 8 | next();
  }

  unsigned bit(BitModel& model, unsigned) noexcept {
    const unsigned bit = decode((range_ >> BitModel::kBits) * model.one());
    model.learn(bit);
    return bit;
  }

  std::uint64_t plain(unsigned count, std::uint64_t) noexcept {
    std::uint64_t value = 0;
    for (; count > 0; --count) value = value << 1 | decode(range_ >> 1);
    return value;
  }

  [[nodiscard]] bool all_taken() const noexcept { return at_ == end_; }

 private:
  unsigned decode(std::uint32_t share) noexcept {
    unsigned bit = 1;
    if (code_ < share) {
      range_ = share;
    } else {
      code_ -= share;
      range_ -= share;
      bit = 0;
    }
    for (; range_ < kLeastRange; range_ <<= 8) code_ = code_ << 8 | next();
    return bit;
  }

  std::uint32_t next() noexcept {
    return at_ != end_ ? *at_++ : 0;
  }

  const std::uint8_t* at_;
  const std::uint8_t* end_;
  std::uint32_t code_ = 0;
  std::uint32_t range_ = 0xffffffff;
};

// A number from 0 on, below 2^62. The count of its bits comes as a row of ones, then its two bits below the highest, both
// under models. The rest come as they are.
class NumberModel {
 public:
  static constexpr unsigned kMostBits = 62;

  template <class Coder>
  std::uint64_t code(Coder& coder, std::uint64_t number) {
    unsigned bits = 0;
    if constexpr (!Coder::kDecoding) bits = static_cast<unsigned>(std::bit_width(number + 1)) - 1;
    unsigned count = 0;
    while (count < kMostBits && coder.bit(bits_[count], count < bits ? 1 : 0) != 0) ++count;
    const std::uint64_t rest = (number + 1) & ((std::uint64_t{1} << count) - 1);
    std::uint64_t value = 1;
    unsigned left = count;
    unsigned context = 0;
    for (unsigned i = 0; i < 2 && left > 0; ++i) {
      --left;
      const unsigned bit = coder.bit(tops_[count][context], static_cast<unsigned>(rest >> left & 1));
      value = value << 1 | bit;
      context = 1 + bit;
    }
    if (left > 0) value = value << left | coder.plain(left, rest & ((std::uint64_t{1} << left) - 1));
    return value - 1;
  }

 private:
  std::array<BitModel, kMostBits> bits_;
  std::array<std::array<BitModel, 3>, kMostBits + 1> tops_;
};

// A number of four bits, the highest first.
class NibbleModel {
 public:
  template <class Coder>
  unsigned code(Coder& coder, unsigned value) {
    unsigned node = 1;
    for (unsigned i = 4; i-- > 0;) node = node << 1 | coder.bit(nodes_[node], value >> i & 1);
    return node & 15;
  }

 private:
  std::array<BitModel, 16> nodes_;
};

}  // namespace bdelta::deflate
