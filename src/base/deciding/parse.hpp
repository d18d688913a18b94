// What decides in a parse, and about copies of NEW. README.md says what a row has.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bdelta {

// Bytes beside one that differs, where anchors are taken as well.
// [bytes] More: takes more anchors. Sets: none noted.
inline constexpr std::uint64_t kAnchorMarginBytes = 32;

// Where less than 1/share fails, half of the anchors will do, and a quarter.
// [share] More: keeps more anchors. Sets: none noted.
inline constexpr std::uint64_t kSparseShare = 64;
inline constexpr std::uint64_t kSparserShare = 1024;

// A sample of what changes, in stretches. It has 1/share of the changed bytes, but so many at least and at most. Where these
// are few it may be so many times longer. It is thinned by 1/share until it is likely to be short enough.
// [bytes, share, factor] More: tells more and takes longer; of the shares, less and finer. Sets: none noted.
inline constexpr std::uint64_t kSampleStretchBytes = std::uint64_t{16} << 10;
inline constexpr std::uint64_t kChangedShare = 8;
inline constexpr std::uint64_t kAmpleChangedBytes = std::uint64_t{64} << 10;
inline constexpr std::uint64_t kMostChangedBytes = std::uint64_t{128} << 10;
inline constexpr std::uint64_t kFewChangedFactor = 2;
inline constexpr std::size_t kThinnedShare = 8;

// How far back a proposed path may begin; equal bytes after which one path alone goes on.
// [bytes] More: finds more and is slower. Sets: none noted.
inline constexpr std::uint64_t kRetroBytes = 128;
inline constexpr unsigned kJumpBytes = 16;

// Equal bytes that make the diagonal of a seed worth proposing again.
// [bytes] More: proposes fewer. Sets: none noted.
inline constexpr std::uint64_t kSeedBytes = 12;

// Literals after which the nearest match is asked no more.
// [bytes] More: is slower where nothing fits. Sets: none noted.
inline constexpr std::uint64_t kParseLostBytes = 8192;

// Bytes of the target that must have been passed for each block of grams, and what is given for the first ones.
// [bytes] More: asks for fewer; for more. Sets: none noted.
inline constexpr std::uint64_t kBlockCostBytes = 2048;
inline constexpr std::uint64_t kFirstBlockBytes = std::uint64_t{1} << 20;

// Grams that are asked for. With short ones, paths that chance began push out better ones. Programs with labels in the
// place of addresses leave less to chance and do better with short ones. The last are long ones.
// [bytes] More: finds fewer and better ones. Sets: a database, a dex file, relinked programs.
inline constexpr unsigned kShortGramBytes = 5;
inline constexpr unsigned kMediumGramBytes = 6;
inline constexpr std::size_t kLongGramBytes = 24;

// Entries of a bucket that are compared in each direction, and while a long match is looked for.
// [entries] More: finds more and is slower. Sets: none noted.
inline constexpr unsigned kGramTries = 4;
inline constexpr unsigned kLongGramTries = 64;

// Costs are fitted to what differs in so many bytes of covers, from so many misses on.
// [bytes] More: fits better; less often. Sets: none noted.
inline constexpr std::uint64_t kSampledCoverBytes = std::uint64_t{64} << 20;
inline constexpr std::uint64_t kLeastMisses = 64;

// Free bytes look compressed if there are so many, at most so many (more take too long to parse), and their entropy is so
// high.
// [bytes, bits] More: fewer are; of the second, more. Sets: none noted.
inline constexpr std::uint64_t kLeastDenseBytes = std::uint64_t{64} << 10;
inline constexpr std::uint64_t kMostDenseBytes = std::uint64_t{4} << 20;
inline constexpr std::int64_t kDenseQuarterBits = 31;

// Free bytes are text if there are so many and no more than 1/share are control characters: compressed bytes have three
// times as many, programs ten.
// [bytes, share] More: fewer are. Sets: none noted.
inline constexpr std::uint64_t kLeastTextBytes = 4096;
inline constexpr std::uint64_t kControlShare = 32;

// Fitting costs. Misses cost what they usually do where their values have this entropy. Of what the pair's values differ
// from it this part counts, and of what one value differs from the others 1/share. The last are the most of that
// difference, and the least of a miss.
// [1/64 bit, ratio, bits] More: misses are cheaper; values differ less; more. Sets: none noted.
inline constexpr std::int64_t kUsualEntropy = 397;
inline constexpr std::int64_t kPairNumerator = 2;
inline constexpr std::int64_t kPairDenominator = 5;
inline constexpr std::int64_t kValueShare = 3;
inline constexpr std::int64_t kMostValueBits = 6;
inline constexpr std::int64_t kLeastMissBits = -4;

// A diagonal closer to the one before is a near one; where covers are cheap, a change of the diagonal costs 1/share.
// [bytes, share] More: more changes are cheap; they are cheaper. Sets: none noted.
inline constexpr std::int64_t kCheapSwitchShare = 4;
inline constexpr std::int64_t kNearBytes = 256;

// Copies of NEW. So many equal bytes may begin one. Where there is so much to look at, one place in 2^shift may begin one.
// Of more than so much a sample is taken first, of one place in 2^shift.
// [bytes, log] More: finds fewer and is faster. Sets: none noted.
inline constexpr std::size_t kCopyGramBytes = 24;
inline constexpr std::uint64_t kManyCopyBytes = std::uint64_t{64} << 20;
inline constexpr unsigned kFewGramsShift = 4;
inline constexpr std::uint64_t kSampledCopyBytes = std::uint64_t{4} << 20;
inline constexpr unsigned kCopySampleShift = 8;

// How far a match in NEW is followed where nothing costs anything, and back.
// [bytes] More: finds more and is slower. Sets: none noted.
inline constexpr std::uint64_t kIdleBytes = 2048;
inline constexpr std::uint64_t kMostBackBytes = 4096;

// Chains of copies of NEW. They have a least link, and links may lose so much. For each byte searched, so many bytes of
// links are looked at. Distances this near belong to a chain that was refused.
// [bytes, 1/64 bit, ratio, bytes] More: finds less; of the second and third, more. Sets: none noted.
inline constexpr std::uint64_t kLinkBytes = 8;
inline constexpr std::int64_t kMostLostCost = 6000;
inline constexpr std::uint64_t kLinkRatio = 4;
inline constexpr std::uint64_t kNearRefusedBytes = 4096;

// What a copy of NEW, and a link, must save beyond their costs: these are estimates.
// [1/64 bit] More: takes fewer. Sets: none noted.
inline constexpr std::int64_t kCopyMargin = 2000;
inline constexpr std::int64_t kLinkMargin = 600;

// Bytes on either side that a copy of NEW may go on behind.
// [bytes] More: makes longer chains and is slower. Sets: none noted.
inline constexpr std::uint64_t kMostBetweenCopies = 4;

// Literals in a row after which those that follow cost what the rest of the row does.
// [bytes] More: is more exact and slower. Sets: none noted.
inline constexpr std::uint64_t kManyLiteralBytes = 4096;

}  // namespace bdelta
