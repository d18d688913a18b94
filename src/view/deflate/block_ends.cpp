#include "view/deflate/block_ends.hpp"

#include "view/deflate/alphabet.hpp"

namespace bdelta::deflate {

bool gzip_ends_block(const Parameters& parameters, std::span<const Token> tokens, std::uint64_t raw_bytes) noexcept {
  std::uint64_t bits = 8 * std::uint64_t{tokens.size()};
  std::size_t matches = 0;
  for (const Token token : tokens) {
    if (!is_match(token)) continue;
    ++matches;
    bits += 5u + kDistanceRanges[distance_symbol(distance_of(token))].extra_bits;
  }
  std::uint64_t taken_in = raw_bytes - length_of(tokens.back());
  if (parameters.search == Search::kLazy) ++taken_in;
  return matches < tokens.size() / 2 && bits / 8 < taken_in / 2;
}

bool may_store(const Parameters& parameters, std::uint64_t first, std::uint64_t begin, std::uint64_t end,
               Token last_token) noexcept {
  constexpr std::uint64_t kMostStored = 65535;
  const bool go = parameters.hash == Hash::kGo;
  constexpr std::uint32_t kAlwaysInWindow = 16383;  // tokens
  if (end - begin > kMostStored) return false;
  if (counts_bytes(parameters) || (!go && parameters.block_tokens <= kAlwaysInWindow)) return true;
  std::uint64_t at = end - (end == begin ? 0 : length_of(last_token));
  if (parameters.search == Search::kLazy && (go || is_match(last_token))) ++at;
  return begin >= window_begin(first, at);
}

}  // namespace bdelta::deflate
