// What decides which of several ways is taken, and how much is looked at for it. README.md says what a row has.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bdelta {

// Streams of no more are coded rather than estimated: of all, and of a sample, which settles less and shall take less.
// [bytes] More: is more exact and slower. Sets: none noted.
inline constexpr std::uint64_t kQuickBytes = std::uint64_t{128} << 10;
inline constexpr std::uint64_t kQuickSampleBytes = std::uint64_t{16} << 10;

// Streams of more take half a second to code: an estimate must do.
// [bytes] More: is more exact and slower. Sets: none noted.
inline constexpr std::uint64_t kLongStreamBytes = std::uint64_t{1} << 20;

// Sets of covers that are coded: so many at most, of those closer to the best than 1/share; of long streams; of a sample
// where misses may have their model.
// [sets, share] More: is more exact and slower; of the shares, less. Sets: none noted.
inline constexpr std::size_t kMostCodedSets = 2;
inline constexpr std::uint64_t kCloseShare = 64;
inline constexpr std::uint64_t kSettledShare = 256;
inline constexpr std::uint64_t kUnsureShare = 4;

// Of two drafts one has copies of NEW, whose windows have no models, and the other has none. The estimate settles
// what differs by more than 1/share. The second share is for where it has the last word and misses may be modelled.
// [share] More: codes fewer; takes more copies. Sets: 28 pairs.
inline constexpr std::uint64_t kUnlikeShare = 8;
inline constexpr std::uint64_t kModelledShare = 32;

// Of the sample, what prediction must save for other covers to be spared: a sample was off by up to 3.5 % of the whole.
// [share] More: spares them more often. Sets: two programs with little in common.
inline constexpr std::uint64_t kSparedShare = 32;

// Of what NEW costs, what copies of itself must save to count in the sample.
// [share] More: looks for them more often. Sets: none noted.
inline constexpr std::uint64_t kCopiedShare = 8;

// Sets that differ by less than 1/share in the sample may do so the other way round.
// [share] More: parses with two sets less often. Sets: none noted.
inline constexpr std::uint64_t kNearShare = 128;

// A sample flatters cheap covers: 17 % smaller there was 18 % larger in all, and where they did well it was 36 % or more.
// [ratio] More: takes them more often. Sets: pairs of tables with other notation.
inline constexpr std::uint64_t kClearNumerator = 3;
inline constexpr std::uint64_t kClearDenominator = 4;

// Covers are cheap where there are so many and they take no more than this part of what costs say. The covers of two
// pairs took 36 and 25 64ths, those of the others from 49 on.
// [covers, ratio] More: fewer are; more. Sets: 37 pairs.
inline constexpr std::size_t kLeastCheapCovers = 1024;
inline constexpr std::uint64_t kCheapNumerator = 5;
inline constexpr std::uint64_t kCheapDenominator = 8;

// The sample of the target that is parsed first: 1/share of it, and so much at most.
// [share, bytes] More: tells less; more. Sets: none noted.
inline constexpr std::uint64_t kSampleShare = 8;
inline constexpr std::uint64_t kMostSampleBytes = std::uint64_t{16} << 20;

// Changed bytes from where a sample chooses the costs, and tells whether prediction is to be doubted. Below, covers without a
// parse are one more set to choose from.
// [bytes] More: samples less often. Sets: 78 pairs and packages for those covers.
inline constexpr std::uint64_t kSampledChangedBytes = std::uint64_t{256} << 10;

// What copies of NEW must save to be tried, in bytes and as a share of the patch.
// [bytes, share] More: tries them less often; more. Sets: none noted.
inline constexpr std::uint64_t kLeastSavedBytes = 32;
inline constexpr std::uint64_t kLeastSavedShare = 128;

// What a low estimate may be off by, as a share of the patch.
// [share] More: codes less often. Sets: none noted.
inline constexpr std::uint64_t kSureShare = 32;

// NEW changes much where literals, and so many bytes for each cover, are more than 1/share of it.
// [bytes, share] More: fewer patches are quick. Sets: none noted.
inline constexpr std::uint64_t kCoverBytes = 3;
inline constexpr std::uint64_t kMuchShare = 1024;

// What is left of a copy of NEW that is cut where a predicted window is.
// [bytes] More: keeps fewer. Sets: none noted.
inline constexpr std::uint64_t kLeastCopyBytes = 16;

// A group of one kind learns enough to stand alone from so many bytes on.
// [bytes] More: makes fewer groups. Sets: none noted.
inline constexpr std::uint64_t kOwnGroupBytes = std::uint64_t{4} << 20;

}  // namespace bdelta
