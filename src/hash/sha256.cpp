#include "hash/sha256.hpp"

#if defined(BDELTA_HAVE_NETTLE)
#include <nettle/sha2.h>
#include <nettle/version.h>
#else
#include <sys/types.h>

#include <sha2.h>
#endif

namespace bdelta {

#if defined(BDELTA_HAVE_NETTLE)
struct Sha256Hasher::State {
  sha256_ctx context;

  State() noexcept { sha256_init(&context); }
  void update(ByteSpan bytes) noexcept { sha256_update(&context, bytes.size(), bytes.data()); }
  void finish(Sha256Digest& digest) noexcept { sha256_digest(&context, digest.size(), digest.data()); }  // begins anew
};
#else
struct Sha256Hasher::State {
  SHA2_CTX context;

  State() noexcept { SHA256Init(&context); }
  void update(ByteSpan bytes) noexcept { SHA256Update(&context, bytes.data(), bytes.size()); }
  void finish(Sha256Digest& digest) noexcept {
    SHA256Final(digest.data(), &context);
    SHA256Init(&context);
  }
};
#endif

Sha256Hasher::Sha256Hasher() : state_(std::make_unique<State>()) {}
Sha256Hasher::~Sha256Hasher() = default;

void Sha256Hasher::update(ByteSpan bytes) noexcept {
  if (!bytes.empty()) state_->update(bytes);
}

Sha256Digest Sha256Hasher::finish() noexcept {
  Sha256Digest digest;
  state_->finish(digest);
  return digest;
}

Sha256Digest sha256(ByteSpan bytes) {
  Sha256Hasher hasher;
  hasher.update(bytes);
  return hasher.finish();
}

std::string sha256_library() {
#if defined(BDELTA_HAVE_NETTLE)
  return "nettle " + std::to_string(nettle_version_major()) + "." + std::to_string(nettle_version_minor());
#else
  return "libmd " BDELTA_LIBMD_VERSION;  // that of the build: it can't be asked
#endif
}

}  // namespace bdelta
