// What decides about prediction, substitutions and moved numbers. README.md says what a row has.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bdelta {

// An image with fewer changed bytes, in all and as a share, has hardly a field that leads elsewhere.
// [bytes, share] More: predicts fewer images; more. Sets: none noted.
inline constexpr std::uint64_t kNearlyEqualBytes = 128;
inline constexpr std::uint64_t kNearlyEqualShare = 2048;

// What lies between images closer than this is not worth windows of its own, each of which takes some 12 bytes.
// [bytes] More: joins more. Sets: none noted.
inline constexpr std::uint64_t kNearImageBytes = std::uint64_t{16} << 10;

// Levels of the matcher on masked files, where nearly all is exact, and on tables.
// [level] More: finds more and is slower. Sets: none noted.
inline constexpr int kMaskedLevel = 3;
inline constexpr int kTableLevel = 3;

// How often covers of a table are chosen: they say what follows from others, but for owners of bytes right behind a table.
// [rounds] More: is more exact. Sets: none noted.
inline constexpr int kMostTableRounds = 2;

// Kinds of fields that are kept out: prediction leaves so many times the misses. Relinked programs have 0.1 to 2.5 times,
// those changed at random, and words that are taken for pointers, 6 to 700 times. Fewer misses tell nothing. Of
// files from so many bytes on 1/share of the blocks tells it.
// [ratio, bytes, share] More: keeps out fewer; of the last two, is slower, is faster. Sets: relinked programs, and such with random changes.
inline constexpr std::uint64_t kMisfitRatio = 3;
inline constexpr std::uint64_t kMisfitBytes = 256;
inline constexpr std::uint64_t kSampledProgramBytes = std::uint64_t{32} << 20;
inline constexpr std::size_t kSampledBlockShare = 8;

// A glance at code before all of it is decoded. It looks at so many blocks at least, and at one in so many. What it says may
// be too low by this factor.
// [blocks, share, factor] More: is more exact; less; predicts more often. Sets: none noted.
inline constexpr std::size_t kLeastBlocks = 3;
inline constexpr std::size_t kGlancedShare = 16;
inline constexpr std::uint64_t kGlanceFactor = 4;

// Where so little changes without prediction, covers without it are found too, unless it leaves less than 1/share of that.
// [bytes, share] More: compares more often. Sets: none noted.
inline constexpr std::uint64_t kFewChangedBytes = std::uint64_t{256} << 10;
inline constexpr std::uint64_t kClearlyLeftShare = 8;

// Prediction is doubted where fewer tenths of fields are right, of NEW are covered, or more than 1/share of the changed bytes
// are left.
// [tenths, share] More: doubts more often. Sets: none noted.
inline constexpr std::uint64_t kRightTenths = 9;
inline constexpr std::uint64_t kCoveredTenths = 7;
inline constexpr std::uint64_t kLeftShare = 2;

// With more than 1/share of NEW left free by the first covers, covers are chosen no more than so often.
// [share, passes] More: is limited less often; is more exact. Sets: two pairs with a tenth of the time for 0.02 %, two closer ones with 0.3 %.
inline constexpr std::uint64_t kDistantShare = 12;
inline constexpr int kDistantPasses = 2;

// Fields of code are kept by who applies where they take so little, or 1/share of OLD.
// [bytes, share] More: takes more memory; less. Sets: none noted.
inline constexpr std::uint64_t kSmallCodeBytes = std::uint64_t{16} << 20;
inline constexpr std::uint64_t kKeptCodeShare = 4;

// What fields of OLD may take of the usual limit of an applier: tables alone, and with code.
// [bytes] More: predicts more programs. Sets: the applier's limit of 256 MiB.
inline constexpr std::uint64_t kMostTableBytes = std::uint64_t{160} << 20;
inline constexpr std::uint64_t kMostFieldBytes = std::uint64_t{128} << 20;

// What prediction in all may take of it. While neither labels nor images are known, so much of that is for them. Covers have
// a bound where fields take no more than so many quarters of it.
// [bytes, quarters] More: predicts more; less; more. Sets: the applier's limit of 256 MiB.
inline constexpr std::uint64_t kMostApplyBytes = std::uint64_t{192} << 20;
inline constexpr std::uint64_t kLabelBytes = std::uint64_t{8} << 20;
inline constexpr std::uint64_t kBoundedQuarters = 3;

// A label must mend so many references more than it breaks, alone and in a run of labels this close to each other.
// An offset is looked for so far behind the instruction with its page.
// [references, bytes] More: makes fewer labels; more. Sets: none noted.
inline constexpr std::uint32_t kWorthLabel = 2;
inline constexpr std::uint32_t kWorthLabelInRun = 1;
inline constexpr std::uint64_t kLabelRunBytes = 4096;
inline constexpr std::uint64_t kPageReachBytes = 256;

// What a miss in a field costs a parse on the way to labels, in sixteenths of an ordinary one.
// [1/16] More: follows fields less. Sets: none noted.
inline constexpr std::uint8_t kFieldMissSixteenths = 10;

// Pieces of tables that are taken or left out as one.
// [bytes] More: decides more coarsely. Sets: none noted.
inline constexpr std::uint64_t kTablePieceBytes = std::uint64_t{64} << 10;

// A border, which takes about two bytes, needs more than this left between two spans of substitutions, in units of spans.
// Many substitutions, which take their time there, need the first. No more than so many need the second.
// [units, substitutions] More: makes fewer borders. Sets: none noted.
inline constexpr std::uint64_t kWorthBorderUnits = 2;
inline constexpr std::uint64_t kWorthBorderUnitsOfFew = 8;
inline constexpr std::size_t kFewSubstitutions = 32;

// Substitutions are searched for in so many bytes whatever changes: two tenths of a second or so. They are weighed on so many
// bytes of copies first, and must mend 1/share of the changed ones to go on.
// [bytes, share] More: is more exact and slower; goes on more often. Sets: none noted.
inline constexpr std::uint64_t kFreeSearchBytes = std::uint64_t{64} << 20;
inline constexpr std::uint64_t kWeighedFirstBytes = std::uint64_t{2} << 20;
inline constexpr std::uint64_t kLeastMendedShare = 128;

// What they must save of the residual: applying them takes time, and copies of NEW may do without.
// [share] More: takes them more often. Sets: none noted.
inline constexpr std::uint64_t kWorthResidualShare = 128;

// Copies, and what differs in them, that are coded for that at most, at a level of zstd.
// [bytes, level] More: is more exact and slower. Sets: none noted.
inline constexpr std::uint64_t kMostPricedBytes = std::uint64_t{8} << 20;
inline constexpr std::size_t kMostPricedResidual = std::size_t{2} << 20;
inline constexpr int kPricingLevel = 6;

// Votes for a substitution, bytes that it must mend, and doublings of votes that count as about the same importance.
// [votes, bytes, log] More: takes fewer; orders more by bytes. Sets: none noted.
inline constexpr std::uint32_t kLeastVotes = 3;
inline constexpr std::int32_t kWorthSubstitutionBytes = 8;
inline constexpr int kImportanceLog = 3;

// Votes and candidates that are held at most: the rarer ones may be missing.
// [count] More: takes more memory. Sets: none noted.
inline constexpr std::size_t kMostVotes = std::size_t{8} << 20;
inline constexpr std::size_t kMostCandidates = std::size_t{256} << 10;

// What is worth its bytes in the record of moved numbers, in numbers told right: a threshold, a list, the record.
// [numbers] More: moves fewer. Sets: none noted.
inline constexpr std::int64_t kThresholdNumbers = 4;
inline constexpr std::int64_t kListNumbers = 2;
inline constexpr std::int64_t kRecordNumbers = 64;

// Types in a row that show where two lists go on together, within so many of either; and what an applier has to hold.
// [types, bytes] More: finds fewer; more; moves more. Sets: none noted.
inline constexpr std::size_t kTypesInRow = 4;
inline constexpr std::size_t kMostSkippedTypes = 1024;
inline constexpr std::uint64_t kMostTypeBytes = std::uint64_t{64} << 20;

// Changed digests of pages that pay for their record: it and zeros in their place cost less.
// [digests] More: leaves more of them as bytes. Sets: none noted.
inline constexpr std::uint64_t kWorthDigests = 8;

}  // namespace bdelta
