#include "hash/sha256.hpp"

#include <sys/types.h>

#include <sha2.h>

namespace bdelta {

struct Sha256Hasher::State {
  SHA2_CTX context;
};

Sha256Hasher::Sha256Hasher() : state_(std::make_unique<State>()) { SHA256Init(&state_->context); }
Sha256Hasher::~Sha256Hasher() = default;

void Sha256Hasher::update(ByteSpan bytes) noexcept {
  if (!bytes.empty()) SHA256Update(&state_->context, bytes.data(), bytes.size());
}

Sha256Digest Sha256Hasher::finish() noexcept {
  Sha256Digest digest;
  SHA256Final(digest.data(), &state_->context);
  SHA256Init(&state_->context);
  return digest;
}

Sha256Digest sha256(ByteSpan bytes) {
  Sha256Hasher hasher;
  hasher.update(bytes);
  return hasher.finish();
}

}  // namespace bdelta
