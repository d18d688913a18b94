// Fills done the slow way, over a whole target, one behind the other.
#pragma once

#include <string>

#include "delta/fills.hpp"

namespace bdelta::test {

// All of them, in their order; with SHA-256 of the library and encodings of this one's own. They are sound.
void fill_slowly(Bytes& target, const Fills& fills);

// The target with other bytes than the right ones wherever something is filled in.
[[nodiscard]] Bytes before_fills(ByteSpan target, const Fills& fills);

// As RFC 4648 has it: with the alphabet for URLs, without padding.
[[nodiscard]] std::string base64url(ByteSpan bytes);

// With padding.
[[nodiscard]] std::string base64(ByteSpan bytes);

}  // namespace bdelta::test
