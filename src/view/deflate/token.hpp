// What a deflate stream says, symbol by symbol: a literal byte, or a match {length, distance}.
//
// A token has 32 bits: the distance above, below it a match's length or the literal's byte. A literal has distance 0, so
// a list of tokens tells its text without the text beside it.
#pragma once

#include <cstdint>

namespace bdelta::deflate {

using Token = std::uint32_t;

inline constexpr unsigned kLeastMatch = 3;
inline constexpr unsigned kMostMatch = 258;
inline constexpr std::uint32_t kMostDistance = 32768;
inline constexpr std::uint32_t kMostStoredBytes = 65535;  // of a block without tokens

[[nodiscard]] constexpr Token literal_token(std::uint8_t byte) noexcept { return byte; }
[[nodiscard]] constexpr Token match_token(unsigned length, std::uint32_t distance) noexcept { return distance << 16 | length; }
[[nodiscard]] constexpr bool is_match(Token token) noexcept { return token > 0xffff; }
[[nodiscard]] constexpr std::uint32_t distance_of(Token token) noexcept { return token >> 16; }  // 0 of a literal

// How many bytes of text it stands for.
[[nodiscard]] constexpr unsigned length_of(Token token) noexcept { return is_match(token) ? token & 0xffff : 1; }

}  // namespace bdelta::deflate
