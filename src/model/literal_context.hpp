// What the model of literals knows about a byte before its bits.
#pragma once

#include "base/bytes.hpp"
#include "model/column_models.hpp"

namespace bdelta::mix {

// The bytes in front of a place, as the contexts that they make: of one to four bytes, of words, and as rows of tables have
// them.
class LiteralContext {
 public:
  static constexpr std::size_t kCount = 8;

  void reset(ByteSpan before) {
    recent_ = 0;
    word_ = word_before_ = 0;
    for (const std::uint8_t byte : before) push(byte);
  }

  void push(std::uint8_t byte) {
    recent_ = recent_ << 8 | byte;
    const bool upper = byte >= 'A' && byte <= 'Z';
    const bool lower = byte >= 'a' && byte <= 'z';
    const bool digit = byte >= '0' && byte <= '9';
    const bool letter = upper || lower || digit || byte == '_' || byte >= 128;
    if (letter) {
      word_ = hash_join(word_, upper ? byte + 32u : byte);
    } else if (word_ != 0) {
      word_before_ = word_;
      word_ = 0;
    }
  }

  // pos: of the byte that comes, in its file.
  [[nodiscard]] Contexts<kCount> hashes(std::uint64_t pos) const {
    return {hash_of(1, recent_ & 0xff), hash_of(2, recent_ & 0xffff),      hash_of(3, recent_ & 0xffffff),
            hash_of(4, recent_),        hash_of(6, word_, recent_ & 0xff), hash_of(7, word_, word_before_),
            hash_of(8, recent_ >> 8 & 0xff), hash_of(9, static_cast<std::uint32_t>(pos % 4), recent_ >> 24)};
  }

 private:
  std::uint32_t recent_ = 0;  // the last four bytes, the latest lowest
  std::uint32_t word_ = 0;    // hash of the word's letters so far; 0 between words
  std::uint32_t word_before_ = 0;
};

// A byte that a place in the buffer tells, as long as the bits so far agree.
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
