// SHA-256 by nettle or libmd (BDELTA_SHA256): for what has to withstand someone who changes a patch on purpose, which XXH3
// is not meant for.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "bdelta/io.hpp"

namespace bdelta {

using Sha256Digest = std::array<std::uint8_t, 32>;

// The digest of a byte sequence fed in pieces. One thread at a time.
class Sha256Hasher {
 public:
  Sha256Hasher();
  ~Sha256Hasher();

  void update(ByteSpan bytes) noexcept;

  // Of all bytes so far; the hasher is then as new.
  [[nodiscard]] Sha256Digest finish() noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

[[nodiscard]] Sha256Digest sha256(ByteSpan bytes);

// Name and version of the library in use, e.g. "nettle 3.8".
[[nodiscard]] std::string sha256_library();

}  // namespace bdelta
