// run() and follow() of a matcher, from its own predict() and commit(). These are final, so they are no calls through a
// table.
#pragma once

#include "view/deflate/matcher.hpp"

namespace bdelta::deflate {

template <class FinalMatcher>
std::size_t run_steps(FinalMatcher& matcher, Token* out, std::size_t most, std::uint64_t stop) {
  std::size_t count = 0;
  while (count < most && matcher.pos() < stop) {
    const Token token = matcher.predict();
    out[count++] = token;
    matcher.commit(token);
  }
  return count;
}

template <class FinalMatcher>
std::size_t follow_steps(FinalMatcher& matcher, std::span<const Token> tokens, Token& predicted) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    predicted = matcher.predict();
    if (predicted != tokens[i]) return i;
    matcher.commit(tokens[i]);
  }
  return tokens.size();
}

}  // namespace bdelta::deflate
