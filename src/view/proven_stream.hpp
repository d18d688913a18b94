// Streams of NEW that were made again once, by what applies, from the recipe that a patch has.
#pragma once

#include <functional>
#include <utility>

#include "bdelta/error.hpp"
#include "hash/xxh3.hpp"

namespace bdelta::view {

// What came out, and of which text; nothing for a stream that is to be made.
struct ProvenStream {
  Digest128 text{};
  ByteSpan packed;

  [[nodiscard]] bool is_known() const noexcept { return !packed.empty(); }
};

// Takes a text in the place of a Rebuilder: proves that it is the same, and gives what was made of that.
class ProvenText {
 public:
  ProvenText(const ProvenStream& proven, std::function<Status(ByteSpan)> sink) : proven_(proven), sink_(std::move(sink)) {}

  Status write(ByteSpan text) {
    hasher_.update(text);
    return {};
  }
  Status finish() {
    if (hasher_.digest() != proven_.text) return Error{ErrorCode::kSelfCheckFailed, "another text of a compressed stream"};
    return sink_(proven_.packed);
  }

 private:
  const ProvenStream& proven_;
  const std::function<Status(ByteSpan)> sink_;
  Xxh3Hasher hasher_;
};

}  // namespace bdelta::view
