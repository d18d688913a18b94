// The two encoders that look nothing up: literals alone, and runs of one byte.
#pragma once

#include <algorithm>

#include "view/deflate/stepped.hpp"

namespace bdelta::deflate {

template <bool kRuns>
class PlainMatcher final : public Matcher {
 public:
  void begin(const Parameters&, std::uint64_t first, std::uint64_t pos) override {
    first_ = first;
    pos_ = pos;
  }
  void join(JointKind kind) override {
    if (kind != JointKind::kContinue) first_ = known_behind(kind, pos_);
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
  std::size_t run(Token* out, std::size_t most, std::uint64_t stop) override { return run_steps(*this, out, most, stop); }
  std::size_t follow(std::span<const Token> tokens) override { return follow_steps(*this, tokens, predicted_); }

 private:
  std::uint64_t first_ = 0;
};

}  // namespace bdelta::deflate
