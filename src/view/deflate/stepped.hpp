// run() and follow() of a matcher, from its own predict() and commit(), with no call through a table for each token.
#pragma once

#include "view/deflate/matcher.hpp"

namespace bdelta::deflate {

template <class Self, class Base = Matcher>
class Stepped : public Base {
 public:
  std::size_t run(Token* out, std::size_t most, std::uint64_t stop) final {
    Self& self = static_cast<Self&>(*this);
    std::size_t count = 0;
    while (count < most && this->pos_ < stop) {
      const Token token = self.Self::predict();
      out[count++] = token;
      self.Self::commit(token);
    }
    return count;
  }

  std::size_t follow(std::span<const Token> tokens) final {
    Self& self = static_cast<Self&>(*this);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      this->predicted_ = self.Self::predict();
      if (this->predicted_ != tokens[i]) return i;
      self.Self::commit(tokens[i]);
    }
    return tokens.size();
  }
};

}  // namespace bdelta::deflate
