#include "hash/xxh3.hpp"

#include <xxhash.h>

#include <cstring>
#include <new>

// Functions that take the widest registers of the processor. Weak, as not each build of xxHash has them: the archive often
// lacks what the shared library beside it has. They are null then, and those for any processor do the work.
#if defined(BDELTA_HAVE_XXH_DISPATCH)
#define XXH_DISPATCH_DISABLE_REPLACE
#include <xxh_x86dispatch.h>
#pragma weak XXH3_64bits_dispatch
#pragma weak XXH3_128bits_dispatch
#pragma weak XXH3_128bits_update_dispatch
#define BDELTA_WIDEST(function) (function##_dispatch ? function##_dispatch : function)
#else
#define BDELTA_WIDEST(function) function
#endif

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

void Xxh3Hasher::update(ByteSpan bytes) noexcept {
  BDELTA_WIDEST(XXH3_128bits_update)(state_->xxh, bytes.data(), bytes.size());
}

Digest128 Xxh3Hasher::digest() const noexcept { return canonical(XXH3_128bits_digest(state_->xxh)); }

Digest128 xxh3_128(ByteSpan bytes) noexcept {
  return canonical(BDELTA_WIDEST(XXH3_128bits)(bytes.data(), bytes.size()));
}

std::uint32_t xxh3_32(ByteSpan bytes) noexcept {
  return static_cast<std::uint32_t>(BDELTA_WIDEST(XXH3_64bits)(bytes.data(), bytes.size()));
}

std::string xxhash_version() {
  const unsigned number = XXH_versionNumber();
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." + std::to_string(number % 100);
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
