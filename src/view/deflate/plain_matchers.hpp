// The two encoders that look nothing up: literals alone, and runs of one byte.
#pragma once

#include <algorithm>

#include "view/deflate/stepped.hpp"

namespace bdelta::deflate {

template <bool kRuns>
class PlainMatcher final : public Stepped<PlainMatcher<kRuns>> {
 public:
  void begin(const Parameters&, std::uint64_t first, std::uint64_t pos) override {
    first_ = first;
    this->pos_ = pos;
  }
  void join(JointKind kind) override {
    if (kind != JointKind::kContinue) first_ = known_behind(kind, this->pos_);
  }

  Token predict() override {
    const std::uint8_t* at = this->text_at(this->pos_);
    if (!kRuns || this->pos_ == first_) return literal_token(*at);
    const auto most = static_cast<unsigned>(std::min<std::uint64_t>(this->end_ - this->pos_, kMostMatch));
    unsigned length = 0;
    while (length < most && at[length] == at[-1]) ++length;
    return length >= kLeastMatch ? match_token(length, 1) : literal_token(*at);
  }
  void commit(Token token) override { this->pos_ += length_of(token); }

 private:
  std::uint64_t first_ = 0;
};

}  // namespace bdelta::deflate
