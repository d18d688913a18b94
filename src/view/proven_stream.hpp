// Streams of NEW whose recipes were proven when the patch was made: from the text at hand they make the stream.
#pragma once

#include <functional>
#include <utility>

#include "bdelta/error.hpp"
#include "hash/xxh3.hpp"

namespace bdelta::view {

// What comes out, and of which text.
struct ProvenStream {
  Digest128 text{};
  ByteSpan packed;
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
