// Which parameters are tried, and in which order.
#pragma once

#include <vector>

#include "view/deflate/inflate.hpp"
#include "view/deflate/parameters.hpp"

namespace bdelta::deflate {

// Tokens of the first block that others follow: it ended by its count. 0 if there is none.
[[nodiscard]] std::uint64_t first_block_tokens(const Inflated& stream) noexcept;

// The least window that zlib can have had. 15 where the text is too short to tell.
[[nodiscard]] std::uint8_t guess_window_bits(const Inflated& stream) noexcept;

// The likely ones first, all with these window bits.
[[nodiscard]] std::vector<Parameters> make_guesses(std::uint64_t first_block_tokens, std::uint8_t window_bits);

// Block ends as the sizes of the blocks suggest; nothing changes if there is one block alone.
void guess_block_end(const Inflated& stream, Parameters& parameters) noexcept;

}  // namespace bdelta::deflate
