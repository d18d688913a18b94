// XXH3 digests in their canonical (big-endian) form, as `xxhsum -H2` prints them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "bdelta/io.hpp"

namespace bdelta {

using Digest128 = std::array<std::uint8_t, 16>;

// The XXH3-128 digest of a byte sequence fed in pieces. One thread at a time.
class Xxh3Hasher {
 public:
  Xxh3Hasher();
  ~Xxh3Hasher();
  Xxh3Hasher(Xxh3Hasher&&) noexcept;
  Xxh3Hasher& operator=(Xxh3Hasher&&) noexcept;

  void update(ByteSpan bytes) noexcept;
  [[nodiscard]] Digest128 digest() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

[[nodiscard]] Digest128 xxh3_128(ByteSpan bytes) noexcept;

// Low 32 bits of XXH3-64: checksum of windows and headers.
[[nodiscard]] std::uint32_t xxh3_32(ByteSpan bytes) noexcept;

// Of the library in use, e.g. "0.8.1".
[[nodiscard]] std::string xxhash_version();

// Two hexadecimal digits a byte, small letters.
[[nodiscard]] std::string to_hex(ByteSpan digest);

}  // namespace bdelta
