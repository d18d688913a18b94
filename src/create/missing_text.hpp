// What NEW has that is not in OLD, told by samples: which text would help, and how much.
#pragma once

#include <unordered_set>

#include "base/bytes.hpp"
#include "base/deciding/archives.hpp"

namespace bdelta {

class MissingText {
 public:
  explicit MissingText(ByteSpan target);

  // Of what is missing, about so many bytes are in `text`; they are no longer missing.
  std::uint64_t take(ByteSpan text);

  // About.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return samples_.size() << kShift; }

 private:
  static constexpr unsigned kShift = kMissingSampleShift;

  std::unordered_set<std::uint64_t> samples_;  // keys
};

}  // namespace bdelta
