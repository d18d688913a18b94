// Which parameters are tried, and in which order.
#pragma once

#include <vector>

#include "view/deflate/inflate.hpp"
#include "view/deflate/parameters.hpp"

namespace bdelta::deflate {

// level: 1 to 9 as Go's compress/flate has them, 0 for literals alone.
[[nodiscard]] Parameters go_parameters(unsigned level) noexcept;

// level: 5 or 6, as Go's compress/flate has them from 1.27 on.
[[nodiscard]] Parameters two_hash_parameters(unsigned level) noexcept;

// Whose levels are tried beside those of zlib's kind.
enum class Family : std::uint8_t { kZlib, kGo, kTwo };

[[nodiscard]] Family family_of(const Parameters& parameters) noexcept;

// Tokens of the first block that others follow: it ended by its count. 0 if there is none.
[[nodiscard]] std::uint64_t first_block_tokens(const Inflated& stream) noexcept;

// The least window that zlib can have had. 15 where the text is too short to tell.
[[nodiscard]] std::uint8_t guess_window_bits(const Inflated& stream) noexcept;

// One of Go if it ends as that ends streams, and has no match that it would not write.
[[nodiscard]] Family guess_family(const Inflated& stream) noexcept;

// What is packed while it is written comes to the encoder in pieces.
[[nodiscard]] bool begins_tar(const Inflated& stream) noexcept;

// The likely ones first, all of zlib's kind with these window bits.
[[nodiscard]] std::vector<Parameters> make_guesses(std::uint64_t first_block_tokens, std::uint8_t window_bits, Family family,
                                                   bool is_tar);

// Block ends as the sizes of the blocks suggest; nothing changes if there is one block alone.
void guess_block_end(const Inflated& stream, Parameters& parameters);

}  // namespace bdelta::deflate
