// What an encoder of the zlib family is, in numbers. Levels are names for some of these numbers, and differ from one
// library to the next; so a recipe has the numbers.
#pragma once

#include <cstdint>

namespace bdelta::deflate {

// How matches are chosen.
enum class Search : std::uint8_t {
  kGreedy = 0,    // the longest one that is found, at once
  kLazy = 1,      // it waits for a longer one at the next byte
  kLiterals = 2,  // none
  kRuns = 3,      // of distance 1 alone
  kMedium = 4,    // as zlib-ng and zlib-rs do it in the middle of their levels
  kBlocks = 5,    // as Go's faster levels do it, block by block
};

// Which bytes of the text are looked up as alike.
enum class Hash : std::uint8_t {
  kThreeBytes = 0,  // zlib
  kFourBytes = 1,   // Chromium, Node: times 66521
  kKnuth = 2,       // zlib-ng, zlib-rs: four bytes, times 2654435761
  kGo = 3,          // Go: four bytes, times 506832829; all else is as in Go then, blocks and trees too
  kTwo = 4,         // Go from 1.27 on: four bytes and seven; likewise. Chain is its level then, 5 or 6
  kCrcOfThree = 5,  // Node 12 to 16, where the processor has an instruction for it: CRC-32C of three bytes
  kCrcOfFour = 6,   // likewise, at its lower levels: of four bytes
};

// When a block ends, if nothing else ends it.
enum class BlockEnd : std::uint8_t {
  kByCount = 0,  // with so many tokens
  kGzip = 1,     // likewise, or where gzip finds that it pays
  // Of kTwo, where blocks end as by count, the ways of three libraries:
  kAllCounts = 1,   // trees say the lengths of all symbols, unless the segment ends
  kPlainTrees = 2,  // Huffman's trees, and short pieces are searched, too
};

// All fields have few bits' worth of information; those of a recipe are held to valid().
struct Parameters {
  Search search = Search::kLazy;
  Hash hash = Hash::kThreeBytes;
  std::uint8_t hash_bits = 15;
  std::uint8_t window_bits = 15;
  std::uint8_t filtered = 0;      // 1: matches up to 5 bytes are none
  BlockEnd block_end = BlockEnd::kByCount;
  std::uint8_t ng = 0;            // 1: short matches may be far, a search needs 4 bytes. 2: so, and what is before new text is remembered
  std::uint16_t good = 8;         // from this length on a quarter of the chain is searched for a better match
  std::uint16_t lazy = 16;        // from this length on none is searched (greedy: positions inside aren't remembered)
  std::uint16_t nice = 128;       // this length ends the search
  std::uint16_t chain = 128;      // candidates that are looked at
  std::uint32_t block_tokens = 16383;
  // kMedium: how much its caller gave at a time; 0: all of it; less than kLeastFeedBytes: as a tar archive is written, in
  // pieces of so many KiB.
  std::uint32_t feed_bytes = 0;

  bool operator==(const Parameters&) const = default;
};

[[nodiscard]] constexpr bool is_crc(Hash hash) noexcept { return hash == Hash::kCrcOfThree || hash == Hash::kCrcOfFour; }

[[nodiscard]] constexpr bool hashes_three(const Parameters& p) noexcept {
  return p.hash == Hash::kThreeBytes || p.hash == Hash::kCrcOfThree;
}

inline constexpr unsigned kMostChain = 4096;
inline constexpr std::uint32_t kMostBlockTokens = 32767;
inline constexpr std::uint32_t kLeastFeedBytes = 300;

[[nodiscard]] constexpr bool valid(const Parameters& p) noexcept {
  const bool go = p.hash == Hash::kGo;
  const bool two = p.hash == Hash::kTwo;
  const bool blocks = p.search == Search::kBlocks;
  const bool searches = p.search != Search::kLiterals && p.search != Search::kRuns && !blocks;
  return p.search <= Search::kBlocks && p.hash <= Hash::kCrcOfFour && p.block_end <= (two ? BlockEnd::kPlainTrees : BlockEnd::kGzip) && p.hash_bits >= 8 &&
         p.hash_bits <= (go ? 17 : 16) && p.window_bits >= 9 && p.window_bits <= 15 && p.filtered <= 1 && p.ng <= (p.search == Search::kMedium ? 2 : 1) &&
         p.good <= 258 && p.lazy <= 258 && p.nice <= 258 && p.chain <= kMostChain && (!searches || p.chain > 0) && p.block_tokens > 0 &&
         p.block_tokens <= kMostBlockTokens && (p.hash != Hash::kKnuth || (p.hash_bits == 16 && p.ng != 0)) &&
         (p.search != Search::kGreedy || p.hash != Hash::kThreeBytes || p.ng == 0) &&
         (!go || (p.hash_bits == 17 && p.window_bits == 15 && p.filtered == 0 && p.block_end == BlockEnd::kByCount &&
                  p.ng == 0 && p.search != Search::kRuns)) &&
         (!two || (blocks && (p.chain == 5 || p.chain == 6) && p.hash_bits == 15 && p.window_bits == 15 && p.filtered == 0 &&
                   p.ng == 0)) &&
         (!is_crc(p.hash) || (p.hash_bits == 15 && p.ng == 0)) && (!blocks || go || two) &&
         (p.search != Search::kMedium || (p.hash == Hash::kKnuth && p.window_bits == 15)) &&
         (p.feed_bytes == 0 || (p.search == Search::kMedium && (p.feed_bytes >= kLeastFeedBytes || p.ng == 2) && p.feed_bytes <= (1u << 24)));
}

// level: 1 to 9 as zlib has them, 0 for literals alone. memory: zlib's memLevel, 1 to 9.
[[nodiscard]] Parameters zlib_parameters(unsigned level, unsigned memory = 8) noexcept;

// Whether blocks end behind so many bytes of text, in the place of tokens.
[[nodiscard]] constexpr bool counts_bytes(const Parameters& p) noexcept {
  return p.search == Search::kBlocks || (p.hash == Hash::kGo && p.search == Search::kLiterals);
}

// Whether blocks are made of pieces: one goes on with the trees of the piece before where that pays.
[[nodiscard]] constexpr bool joins_pieces(const Parameters& p) noexcept { return p.hash == Hash::kTwo; }

// Whether trees are Huffman's, and short pieces are searched.
[[nodiscard]] constexpr bool has_plain_trees(const Parameters& p) noexcept {
  return joins_pieces(p) && p.block_end == BlockEnd::kPlainTrees;
}

// Whether trees and the end of the stream are as in Go.
[[nodiscard]] constexpr bool is_of_go(const Parameters& p) noexcept { return p.hash == Hash::kGo || p.hash == Hash::kTwo; }

}  // namespace bdelta::deflate
