// Where encoders end a block, and what they still know of its text then.
#pragma once

#include <span>

#include "view/deflate/matcher.hpp"

namespace bdelta::deflate {

inline constexpr std::size_t kGzipCheckTokens = 4096;  // it looks whether a block is to end behind each so many

// Whether gzip ends its block behind `tokens`, a multiple of kGzipCheckTokens. raw_bytes: that they stand for.
[[nodiscard]] bool gzip_ends_block(const Parameters& parameters, std::span<const Token> tokens, std::uint64_t raw_bytes) noexcept;

// Of a block by rule.
[[nodiscard]] inline std::uint64_t most_tokens(const Parameters& p) noexcept {
  return counts_bytes(p) ? kBytesOfBlock : p.block_tokens;
}

// Gzip's faster levels don't look.
[[nodiscard]] inline bool gzip_looks(const Parameters& p) noexcept {
  return p.block_end == BlockEnd::kGzip && (p.search == Search::kLazy || p.chain >= 32);
}

// Whether zlib's window still has the block's text when the block ends. first: where the text begins that M knows of;
// begin, end: of the block's text, with its last token. Also whether a stored block can hold it.
[[nodiscard]] bool may_store(const Parameters& parameters, std::uint64_t first, std::uint64_t begin, std::uint64_t end,
                             Token last_token) noexcept;

// Whether a block of all the tokens that it may have, at the end of the text, is the last one. It is not if the encoder
// ended it before it knew that nothing follows. Go never knows; it ends with an empty one.
[[nodiscard]] inline bool knows_end(const Parameters& p, bool full, std::span<const Token> tokens) noexcept {
  if (is_of_go(p)) return tokens.empty();
  const Token last_token = tokens.empty() ? Token{0} : tokens.back();
  return !full || (p.search == Search::kLazy && !is_match(last_token));
}

}  // namespace bdelta::deflate
