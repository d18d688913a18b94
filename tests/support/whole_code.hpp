// The code of a range coder that is there as a whole.
#pragma once

#include <utility>

#include "model/range_coder.hpp"

namespace bdelta::test {

class WholeCode final : public CodeFeed {
 public:
  explicit WholeCode(ByteSpan code) : code_(code) {}
  ByteSpan more() override { return std::exchange(code_, {}); }

 private:
  ByteSpan code_;
};

}  // namespace bdelta::test
