// What the model of literals knows about a byte before its bits.
#pragma once

#include "model/column_models.hpp"

namespace bdelta::mix {

// The bytes in front of a place, as the contexts that they make.
class LiteralContext {
 public:
  static constexpr std::size_t kCount = 11;
  static constexpr std::size_t kLightCount = 6;

  void reset(const std::uint8_t* before, std::size_t count, std::uint64_t pos) {
    recent_ = 0;
    word_ = word_before_ = 0;
    pos_ = pos - count;
    for (std::size_t i = 0; i < count; ++i) push(before[i]);
  }

  void push(std::uint8_t byte) {
    recent_ = recent_ << 8 | byte;
    ++pos_;
    const bool upper = byte >= 'A' && byte <= 'Z';
    const bool lower = byte >= 'a' && byte <= 'z';
    const bool digit = byte >= '0' && byte <= '9';
    const bool letter = upper || lower || digit || byte == '_' || byte >= 128;
    if (letter) {
      word_ = hash_step(word_, upper ? byte + 32u : byte);
    } else if (word_ != 0) {
      word_before_ = word_;
      word_ = 0;
    }
  }

  [[nodiscard]] std::uint32_t last() const { return static_cast<std::uint32_t>(recent_ & 0xff); }

  // guess: the byte that matches tell and the one of the source's next place, 256 where there is none.
  [[nodiscard]] Contexts<kCount> hashes(unsigned match_guess, unsigned source_guess) const {
    const auto low = static_cast<std::uint32_t>(recent_);
    const auto high = static_cast<std::uint32_t>(recent_ >> 32);
    const auto align = static_cast<std::uint32_t>(pos_ & 3);
    return {hash_of(1, low & 0xff),
            hash_of(2, low & 0xffff),
            hash_of(3, low & 0xffffff),
            hash_of(4, low),
            hash_of(5, low, high & 0xffff),
            hash_of(6, word_, low & 0xff),
            hash_of(7, word_, word_before_),
            hash_of(8, low & 0xff00ff00, align),
            hash_of(9, high & 0xff000000, low & 0xff000000, align),
            hash_of(10, high & 0xff000000, low & 0xff, align),
            hash_of(11, match_guess << 16 | source_guess, match_guess < 256 ? 256 : low & 0xff)};
  }

  // Those of them that text has most of: of one to four bytes, and of words.
  [[nodiscard]] Contexts<kLightCount> light_hashes() const {
    const auto low = static_cast<std::uint32_t>(recent_);
    return {hash_of(1, low & 0xff), hash_of(2, low & 0xffff),    hash_of(3, low & 0xffffff),
            hash_of(4, low),        hash_of(6, word_, low & 0xff), hash_of(7, word_, word_before_)};
  }

 private:
  std::uint64_t recent_ = 0;  // the last eight bytes, the latest lowest
  std::uint64_t pos_ = 0;
  std::uint32_t word_ = 0;  // hash of the word's letters so far; 0 between words
  std::uint32_t word_before_ = 0;
};

// A byte that a place in the history tells, as long as the bits so far agree.
class GuessedByte {
 public:
  static constexpr unsigned kNone = 256;

  explicit GuessedByte(unsigned value) : value_(value) {}
  [[nodiscard]] unsigned value() const { return value_; }
  // node: 1 and the bits so far; left: bits to come.
  [[nodiscard]] bool agrees(unsigned node, unsigned left) const {
    return value_ != kNone && (value_ | 256) >> left == node;
  }
  [[nodiscard]] unsigned bit(unsigned left) const { return value_ >> (left - 1) & 1; }

 private:
  unsigned value_;  // kNone: no byte
};

}  // namespace bdelta::mix
