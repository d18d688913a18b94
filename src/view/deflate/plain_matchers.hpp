// The two encoders that look nothing up: literals alone, and runs of one byte.
#pragma once

#include <algorithm>

#include "view/deflate/matcher.hpp"

namespace bdelta::deflate {

template <bool kRuns>
class PlainMatcher final : public Matcher {
 public:
  void begin(const Parameters&, std::uint64_t first, std::uint64_t pos) override {
    first_ = first;
    pos_ = pos;
  }
  void join(JointKind kind) override {
    if (kind == JointKind::kClear) first_ = pos_;
    if (kind == JointKind::kReset) first_ = pos_ > kWindowBytes ? pos_ - kWindowBytes : 0;
  }

  Token predict() override {
    const std::uint8_t* at = text_at(pos_);
    if (!kRuns || pos_ == first_) return literal_token(*at);
    const auto most = static_cast<unsigned>(std::min<std::uint64_t>(end_ - pos_, kMostMatch));
    unsigned length = 0;
    while (length < most && at[length] == at[-1]) ++length;
    return length >= kLeastMatch ? match_token(length, 1) : literal_token(*at);
  }
  void commit(Token token) override { pos_ += length_of(token); }

  std::size_t run(Token* out, std::size_t most, std::uint64_t stop) override {
    std::size_t count = 0;
    for (; count < most && pos_ < stop; ++count) {
      out[count] = PlainMatcher::predict();
      PlainMatcher::commit(out[count]);
    }
    return count;
  }

  std::size_t follow(std::span<const Token> tokens) override {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      predicted_ = PlainMatcher::predict();
      if (predicted_ != tokens[i]) return i;
      PlainMatcher::commit(tokens[i]);
    }
    return tokens.size();
  }

 private:
  std::uint64_t first_ = 0;
};

}  // namespace bdelta::deflate
