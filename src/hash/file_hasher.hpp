// The digests of a file that passes by in pieces.
#pragma once

#include <optional>

#include "bdelta/report.hpp"
#include "hash/sha256.hpp"
#include "hash/xxh3.hpp"

namespace bdelta {

// XXH3-128 and, where that is asked for, SHA-256. One thread at a time.
class FileHasher {
 public:
  explicit FileHasher(bool with_sha256) {
    if (with_sha256) sha256_.emplace();
  }

  void update(ByteSpan bytes) noexcept {
    xxh3_.update(bytes);
    if (sha256_) sha256_->update(bytes);
  }

  // Of all bytes so far. Once.
  [[nodiscard]] KnownDigests finish() noexcept {
    return {xxh3_.digest(), sha256_ ? std::optional(sha256_->finish()) : std::nullopt};
  }

 private:
  Xxh3Hasher xxh3_;
  std::optional<Sha256Hasher> sha256_;
};

}  // namespace bdelta
