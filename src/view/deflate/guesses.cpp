#include "view/deflate/guesses.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "view/deflate/block_rule.hpp"
#include "view/deflate/matcher.hpp"

namespace bdelta::deflate {
namespace {

constexpr std::uint32_t kFeedOfTar = 8;
constexpr std::uint64_t kLeastCount = 127;
constexpr std::uint64_t kMostCount = kMostBlockTokens;

bool is_count_of_zlib(std::uint64_t count) noexcept {
  return count >= kLeastCount && count <= kMostCount && std::has_single_bit(count + 1);
}

std::vector<unsigned> guess_memories(std::uint64_t count) {
  if (count == kMostCount) return {9, 8};  // the second is gzip's hash
  if (is_count_of_zlib(count)) return {static_cast<unsigned>(std::bit_width(count)) - 6};
  return {8, 9};
}

void add_levels(std::vector<Parameters>& guesses, unsigned memory, Hash hash) {
  for (const unsigned level : {6u, 9u, 1u, 5u, 8u, 7u, 4u, 3u, 2u}) {
    Parameters p = zlib_parameters(level, memory);
    p.hash = hash;
    if (hash == Hash::kFourBytes) p.hash_bits = std::max<std::uint8_t>(p.hash_bits, 15);
    guesses.push_back(p);
  }
}

void add_crc_levels(std::vector<Parameters>& guesses, unsigned memory) {
  for (const unsigned level : {6u, 9u, 8u, 7u, 1u, 5u, 4u, 3u, 2u}) {
    Parameters p = zlib_parameters(level, memory);
    p.hash = level >= 6 ? Hash::kCrcOfThree : Hash::kCrcOfFour;
    p.hash_bits = 15;
    guesses.push_back(p);
  }
}

// zlib-ng's: 6 to 3, as it may have been fed, and 9 to 7.
void add_ng_levels(std::vector<Parameters>& guesses, bool is_tar) {
  struct Level {
    std::uint16_t good, lazy, nice, chain;
  };
  Parameters p;
  p.ng = 2;
  p.hash = Hash::kKnuth;
  p.hash_bits = 16;
  p.search = Search::kMedium;
  for (const Level& level : {Level{8, 16, 128, 128}, Level{8, 16, 32, 32}, Level{4, 12, 32, 24}, Level{4, 6, 16, 6}}) {
    p.good = level.good;
    p.lazy = level.lazy;
    p.nice = level.nice;
    p.chain = level.chain;
    for (const std::uint32_t feed_bytes : {0u, kFeedOfTar, 8192u, 16384u, 32768u, 65536u}) {
      if (feed_bytes == kFeedOfTar && !is_tar) continue;
      p.feed_bytes = feed_bytes;
      guesses.push_back(p);
    }
  }
  for (const unsigned level : {9u, 8u, 7u}) {
    p = zlib_parameters(level);
    p.ng = 1;
    if (level != 9) p.hash = Hash::kKnuth;
    if (level != 9) p.hash_bits = 16;
    guesses.push_back(p);
  }
}

}  // namespace

Parameters go_parameters(unsigned level) noexcept {
  struct Level {
    std::uint16_t lazy, nice, chain;
  };
  static constexpr std::array<Level, 10> kLevels = {{{0, 0, 0}, {0, 0, 0}, {5, 16, 8}, {6, 32, 32}, {4, 16, 16},
                                                     {16, 32, 32}, {16, 128, 128}, {32, 128, 256}, {128, 258, 1024},
                                                     {258, 258, 4096}}};
  Parameters p;
  p.search = level == 0 ? Search::kLiterals : level == 1 ? Search::kBlocks : level <= 3 ? Search::kGreedy : Search::kLazy;
  p.hash = Hash::kGo;
  p.hash_bits = 17;
  p.good = 258;
  p.lazy = kLevels[level].lazy;
  p.nice = kLevels[level].nice;
  p.chain = kLevels[level].chain;
  p.block_tokens = 16384;
  return p;
}

Parameters two_hash_parameters(unsigned level) noexcept {
  Parameters p;
  p.search = Search::kBlocks;
  p.hash = Hash::kTwo;
  p.chain = static_cast<std::uint16_t>(level);
  return p;
}

Family family_of(const Parameters& p) noexcept {
  return p.hash == Hash::kGo ? Family::kGo : p.hash == Hash::kTwo ? Family::kTwo : Family::kZlib;
}

std::uint64_t first_block_tokens(const Inflated& stream) noexcept {
  for (const Block& block : stream.blocks) {
    if (block.type != BlockType::kStored && !block.last) return block.token_count;
  }
  return 0;
}

std::uint8_t guess_window_bits(const Inflated& stream) noexcept {
  std::uint32_t most = 0;
  for (const Token token : stream.tokens) most = std::max(most, distance_of(token));
  unsigned bits = 15;
  while (bits > 9 && most <= (1u << (bits - 1)) - kLeastLookahead) --bits;
  const bool tells = most != 0 && stream.raw().size() >= std::uint64_t{4} << bits;
  return static_cast<std::uint8_t>(tells ? bits : 15);
}

Family guess_family(const Inflated& stream) noexcept {
  const Block& last = stream.blocks.back();
  if (last.raw_bytes != 0 || last.type == BlockType::kDynamic) return Family::kZlib;
  const bool short_ones = std::any_of(stream.tokens.begin(), stream.tokens.end(),
                                      [](Token token) { return is_match(token) && length_of(token) == kLeastMatch; });
  return short_ones ? Family::kZlib : last.type == BlockType::kStored ? Family::kGo : Family::kTwo;
}

bool begins_tar(const Inflated& stream) noexcept {
  constexpr std::size_t kMagicPos = 257;
  constexpr std::uint8_t kMagic[] = {'u', 's', 't', 'a', 'r'};
  const ByteSpan raw = stream.raw();
  return raw.size() > kMagicPos + sizeof kMagic && std::equal(std::begin(kMagic), std::end(kMagic), raw.begin() + kMagicPos);
}

std::vector<Parameters> make_guesses(std::uint64_t count, std::uint8_t window_bits, Family family, bool is_tar) {
  std::vector<Parameters> guesses;
  if (family == Family::kGo) {
    for (const unsigned level : {6u, 5u, 9u, 1u, 7u, 8u, 4u, 3u, 2u, 0u}) guesses.push_back(go_parameters(level));
  }
  if (family == Family::kTwo) {
    for (const unsigned level : {5u, 6u}) guesses.push_back(two_hash_parameters(level));
  }
  for (const unsigned memory : guess_memories(count)) {
    add_levels(guesses, memory, Hash::kThreeBytes);
    add_levels(guesses, memory, Hash::kFourBytes);
  }
  add_crc_levels(guesses, guess_memories(count).front());
  for (const Search search : {Search::kRuns, Search::kLiterals}) {
    Parameters p = zlib_parameters(0);
    p.search = search;
    guesses.push_back(p);
  }
  add_ng_levels(guesses, is_tar);
  for (const unsigned level : {6u, 9u, 5u, 4u, 7u, 8u}) {
    Parameters p = zlib_parameters(level);
    p.filtered = 1;
    guesses.push_back(p);
  }
  for (Parameters& p : guesses) {
    if (p.search != Search::kMedium && !is_of_go(p)) p.window_bits = window_bits;
  }
  return guesses;
}

namespace {

// How many trees of pieces, of the first ones, are such as these parameters make.
std::size_t count_trees(const Inflated& stream, const Parameters& parameters) {
  constexpr std::size_t kLooked = 16;
  BlockRule rule(parameters);
  BlockTree tree;
  std::size_t same = 0;
  for (std::size_t i = 0; i < std::min(stream.blocks.size(), kLooked); ++i) {
    const Block& block = stream.blocks[i];
    if (block.type != BlockType::kDynamic) continue;
    const std::span<const Token> tokens(stream.tokens.data() + block.first_token, static_cast<std::size_t>(block.token_count));
    std::size_t count = 0;
    for (std::uint64_t raw = 0; count < tokens.size() && raw < kBytesOfBlock;) raw += length_of(tokens[count++]);
    rule.make_tree(count_symbols(tokens.first(count)), tree, block.raw_pos + block.raw_bytes == stream.raw().size());
    same += tree == stream.trees[block.tree] ? 1u : 0u;
  }
  return same;
}

BlockEnd guess_trees(const Inflated& stream, Parameters parameters) {
  std::size_t most = 0;
  BlockEnd best = BlockEnd::kByCount;
  for (const BlockEnd end : {BlockEnd::kByCount, BlockEnd::kPlainTrees, BlockEnd::kAllCounts}) {
    parameters.block_end = end;
    const std::size_t same = count_trees(stream, parameters);
    if (same > most) best = end;
    most = std::max(most, same);
  }
  return best;
}

}  // namespace

void guess_block_end(const Inflated& stream, Parameters& p) {
  if (p.hash == Hash::kTwo) p.block_end = guess_trees(stream, p);
  if (is_of_go(p)) return;
  std::uint64_t blocks = 0;
  std::uint64_t of_16k = 0;
  std::uint64_t of_32k = 0;
  std::uint64_t as_gzip_looks = 0;
  for (const Block& block : stream.blocks) {
    if (block.last || block.type == BlockType::kStored || block.raw_bytes == 0) continue;
    ++blocks;
    of_16k += block.token_count == 16383;
    of_32k += block.token_count == kMostCount;
    as_gzip_looks += block.token_count % 4096 == 0 || block.token_count == kMostCount;
  }
  if (blocks == 0) return;
  p.block_end = BlockEnd::kByCount;
  const std::uint64_t first = first_block_tokens(stream);
  if (2 * as_gzip_looks > blocks && 4 * of_16k < blocks) {
    p.block_tokens = kMostCount;
    if (of_32k == blocks) return;
    p.block_end = BlockEnd::kGzip;
    p.hash_bits = 15;
  } else if (is_count_of_zlib(first)) {
    p.block_tokens = static_cast<std::uint32_t>(first);
  } else {
    p.block_tokens = of_32k > of_16k ? kMostBlockTokens : 16383;
  }
}

}  // namespace bdelta::deflate
