#include "hash/xxh3.hpp"

#if defined(BDELTA_HAVE_XXH_DISPATCH)
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

#include <cstring>
#include <new>

namespace bdelta {

struct Xxh3Hasher::State {
  // The library asks for 64-byte alignment, which its own allocator gives.
  XXH3_state_t* xxh = XXH3_createState();
  State() {
    if (!xxh) throw std::bad_alloc();
    XXH3_128bits_reset(xxh);
  }
  ~State() { XXH3_freeState(xxh); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

namespace {

Digest128 canonical(XXH128_hash_t hash) noexcept {
  XXH128_canonical_t bytes;
  XXH128_canonicalFromHash(&bytes, hash);
  Digest128 digest;
  std::memcpy(digest.data(), bytes.digest, digest.size());
  return digest;
}

}  // namespace

Xxh3Hasher::Xxh3Hasher() : state_(std::make_unique<State>()) {}
Xxh3Hasher::~Xxh3Hasher() = default;
Xxh3Hasher::Xxh3Hasher(Xxh3Hasher&&) noexcept = default;
Xxh3Hasher& Xxh3Hasher::operator=(Xxh3Hasher&&) noexcept = default;

void Xxh3Hasher::update(ByteSpan bytes) noexcept { XXH3_128bits_update(state_->xxh, bytes.data(), bytes.size()); }

Digest128 Xxh3Hasher::digest() const noexcept { return canonical(XXH3_128bits_digest(state_->xxh)); }

Digest128 xxh3_128(ByteSpan bytes) noexcept { return canonical(XXH3_128bits(bytes.data(), bytes.size())); }

std::uint32_t xxh3_32(ByteSpan bytes) noexcept {
  return static_cast<std::uint32_t>(XXH3_64bits(bytes.data(), bytes.size()));
}

std::string to_hex(ByteSpan digest) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace bdelta
