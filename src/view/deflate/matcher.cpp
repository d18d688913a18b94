#include "view/deflate/matcher.hpp"

#include <array>

#include "view/deflate/block_matcher.hpp"
#include "view/deflate/chain_tables.hpp"
#include "view/deflate/medium_matcher.hpp"
#include "view/deflate/plain_matchers.hpp"
#include "view/deflate/ranked_tables.hpp"
#include "view/deflate/ruled_matcher.hpp"
#include "view/deflate/two_hash_matcher.hpp"

namespace bdelta::deflate {
namespace {

enum Kind : unsigned {
  kGreedyThree,
  kGreedyFour,
  kGreedyKnuth,
  kLazyThree,
  kLazyFour,
  kLazyKnuth,
  kLiteralsAlone,
  kRunsAlone,
  kRankedThree,
  kRankedFour,
  kMedium,
  kGreedyGo,
  kLazyGo,
  kRankedGo,
  kBlocksOfGo,
  kTwoHashes,
};

// From so long chains and texts on M2 is faster; its tables are four times as large.
constexpr unsigned kRankedChain = 128;
constexpr unsigned kRankedChainOfFour = 1024;  // where the encoder's own chain is one of four bytes
constexpr std::uint64_t kRankedTextBytes = 48 << 10;

template <Search kSearch, Hash kHash>
std::unique_ptr<Matcher> make_chained() {
  return std::make_unique<RuledMatcher<kSearch, ChainTables<kHash>>>();
}
template <Hash kHash>
std::unique_ptr<Matcher> make_ranked() {
  return std::make_unique<RuledMatcher<Search::kLazy, RankedTables<kHash>>>();
}

unsigned kind_of_matcher(const Parameters& p, std::uint64_t raw_bytes) noexcept {
  if (p.search == Search::kLiterals) return kLiteralsAlone;
  if (p.search == Search::kRuns) return kRunsAlone;
  if (p.search == Search::kMedium) return kMedium;
  if (p.search == Search::kBlocks) return p.hash == Hash::kTwo ? kTwoHashes : kBlocksOfGo;
  if (p.hash == Hash::kGo) {
    if (p.search == Search::kGreedy) return kGreedyGo;
    return is_ranked(p, raw_bytes) ? kRankedGo : kLazyGo;
  }
  const bool of_three = hashes_three(p);
  if (is_ranked(p, raw_bytes)) return of_three ? kRankedThree : kRankedFour;
  const unsigned first = p.search == Search::kGreedy ? kGreedyThree : kLazyThree;
  return of_three ? first : first + static_cast<unsigned>(p.hash == Hash::kCrcOfFour ? Hash::kFourBytes : p.hash);
}

std::unique_ptr<Matcher> make_matcher(unsigned kind) {
  switch (kind) {
    case kGreedyThree: return make_chained<Search::kGreedy, Hash::kThreeBytes>();
    case kGreedyFour: return make_chained<Search::kGreedy, Hash::kFourBytes>();
    case kGreedyKnuth: return make_chained<Search::kGreedy, Hash::kKnuth>();
    case kLazyThree: return make_chained<Search::kLazy, Hash::kThreeBytes>();
    case kLazyFour: return make_chained<Search::kLazy, Hash::kFourBytes>();
    case kLazyKnuth: return make_chained<Search::kLazy, Hash::kKnuth>();
    case kLiteralsAlone: return std::make_unique<PlainMatcher<false>>();
    case kRankedThree: return make_ranked<Hash::kThreeBytes>();
    case kRankedFour: return make_ranked<Hash::kFourBytes>();
    case kMedium: return std::make_unique<MediumMatcher>();
    case kGreedyGo: return make_chained<Search::kGreedy, Hash::kGo>();
    case kLazyGo: return make_chained<Search::kLazy, Hash::kGo>();
    case kRankedGo: return make_ranked<Hash::kGo>();
    case kBlocksOfGo: return std::make_unique<BlockMatcher>();
    case kTwoHashes: return std::make_unique<TwoHashMatcher>();
    default: return std::make_unique<PlainMatcher<true>>();
  }
}

}  // namespace

bool is_ranked(const Parameters& p, std::uint64_t raw_bytes) noexcept {
  if (p.search != Search::kLazy || p.ng || p.hash == Hash::kKnuth || p.hash == Hash::kCrcOfFour || raw_bytes < kRankedTextBytes) return false;
  return p.chain >= (hashes_three(p) ? kRankedChain : kRankedChainOfFour);
}

Parameters zlib_parameters(unsigned level, unsigned memory) noexcept {
  struct Level {
    std::uint16_t good, lazy, nice, chain;
  };
  static constexpr std::array<Level, 10> kLevels = {{{0, 0, 0, 0},
                                                     {4, 4, 8, 4},
                                                     {4, 5, 16, 8},
                                                     {4, 6, 32, 32},
                                                     {4, 4, 16, 16},
                                                     {8, 16, 32, 32},
                                                     {8, 16, 128, 128},
                                                     {8, 32, 128, 256},
                                                     {32, 128, 258, 1024},
                                                     {32, 258, 258, 4096}}};
  const Level& numbers = kLevels[level];
  Parameters p;
  p.search = level == 0 ? Search::kLiterals : level <= 3 ? Search::kGreedy : Search::kLazy;
  p.hash_bits = static_cast<std::uint8_t>(memory + 7);
  p.block_tokens = (1u << (memory + 6)) - 1;
  p.good = numbers.good;
  p.lazy = numbers.lazy;
  p.nice = numbers.nice;
  p.chain = numbers.chain;
  return p;
}

std::uint32_t Matcher::nearer_count_of(unsigned, std::uint32_t) const { return kNoCandidate; }

std::uint32_t Matcher::distance_behind(unsigned, std::uint32_t) const { return 0; }

Matcher& MatcherSet::begin(const Parameters& parameters, std::uint64_t raw_bytes, std::uint64_t first, std::uint64_t pos) {
  const unsigned kind = kind_of_matcher(parameters, raw_bytes);
  std::unique_ptr<Matcher>& matcher = matchers_[kind];
  if (!matcher) {
    // Few files have streams of both families, whose tables are large.
    for (unsigned other = 0; other < kMostKinds; ++other) {
      if ((other < kGreedyGo) != (kind < kGreedyGo)) matchers_[other].reset();
    }
    matcher = make_matcher(kind);
  }
  matcher->begin(parameters, first, pos);
  return *matcher;
}

}  // namespace bdelta::deflate
