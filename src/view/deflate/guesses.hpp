// Which parameters are tried, and in which order.
#pragma once

#include <vector>

#include "view/deflate/inflate.hpp"
#include "view/deflate/parameters.hpp"

namespace bdelta::deflate {

// level: 1 to 9 as Go's compress/flate has them, 0 for literals alone.
[[nodiscard]] Parameters go_parameters(unsigned level) noexcept;

// Tokens of the first block that others follow: it ended by its count. 0 if there is none.
[[nodiscard]] std::uint64_t first_block_tokens(const Inflated& stream) noexcept;

// The least window that zlib can have had. 15 where the text is too short to tell.
[[nodiscard]] std::uint8_t guess_window_bits(const Inflated& stream) noexcept;

// Whether it ends as Go ends streams, and has no match that Go would not write.
[[nodiscard]] bool may_be_of_go(const Inflated& stream) noexcept;

// The likely ones first, all with these window bits. go: those of Go are among them.
[[nodiscard]] std::vector<Parameters> make_guesses(std::uint64_t first_block_tokens, std::uint8_t window_bits, bool go);

// Block ends as the sizes of the blocks suggest; nothing changes if there is one block alone.
void guess_block_end(const Inflated& stream, Parameters& parameters) noexcept;

}  // namespace bdelta::deflate
