// What decides where matches are looked for, and which covers of the fast search stay. README.md says what a row has.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bdelta {

// What is left to the scan: a shorter stretch that fits, and one where diagonals are known to be likely.
// [bytes] More: finds less at once. Sets: none noted.
inline constexpr std::uint64_t kSureBytes = 4096;
inline constexpr std::uint64_t kSurePartBytes = 128;

// The widest distance between probes of a diagonal where nothing fits, and by what part of itself it grows.
// [bytes, share] More: looks at less; grows more slowly. Sets: none noted.
inline constexpr std::uint64_t kMostProbeBytes = std::uint64_t{64} << 10;
inline constexpr std::uint64_t kProbeGrowthShare = 8;

// Uncovered bytes after which the scan asks samples alone.
// [bytes] More: is slower where nothing fits. Sets: none noted.
inline constexpr std::uint64_t kScanLostBytes = 2048;

// What a scan may spend on its local table: bytes of the target that must have been passed for each granule inserted, and
// how many may be saved up.
// [bytes] More: inserts less; more. Sets: none noted.
inline constexpr std::uint64_t kGranuleCostBytes = 128;
inline constexpr std::int64_t kMostCreditBytes = std::int64_t{1} << 20;

// The neighbourhood of a diagonal that enters the local table: at first, when it grows, and the most of it. A cover of so many
// bytes makes its diagonal the one to return to, and so near to that a hit that lies farther away is looked for once more.
// So many hits there are compared.
// [bytes, hits] More: finds more and is slower; of the second, grows later; of the fifth, returns less. Sets: 31 pairs, of the home.
inline constexpr std::uint64_t kFirstReachBytes = 2048;
inline constexpr std::uint64_t kGrowBytes = 512;
inline constexpr std::uint64_t kMostBehindBytes = std::uint64_t{32} << 10;
inline constexpr std::uint64_t kMostAheadBytes = std::uint64_t{64} << 10;
inline constexpr std::uint64_t kHomeCoverBytes = 256;
inline constexpr std::int64_t kHomeReachBytes = 256;
inline constexpr int kMostHomeHits = 4;

// The local table: bytes between inserted positions, and insertions after which a granule counts as gone.
// [bytes, granules] More: finds less; remembers more. Sets: none noted.
inline constexpr std::uint64_t kLocalStrideBytes = 4;
inline constexpr std::uint64_t kLocalLifeGranules = 192;

// The source gets an index where no less than 1/share of it is uncovered: for a scan, and where a parse has keys of its own.
// [share] More: builds it more often. Sets: none noted.
inline constexpr std::uint64_t kIndexShare = 2048;
inline constexpr std::uint64_t kParsedIndexShare = 64;

// Samples that a piece of the source may have in the index, in expected ones.
// [ratio] More: takes longer where a file is made of samples. Sets: none noted.
inline constexpr std::uint64_t kMostOfExpected = 8;

// With less than 1/share uncovered, what is near is looked for before that. This reads so many bytes of the source for each
// of the target, and so many on either side of a cover.
// [share, bytes] More: is looked for less often; reads more. Sets: none noted.
inline constexpr std::uint64_t kNearlyCoveredShare = 8;
inline constexpr std::uint64_t kNearRatio = 4;
inline constexpr std::uint64_t kNearMarginBytes = std::uint64_t{64} << 10;

// What extending takes. A byte that differs costs so many equal ones, and the score may fall so far below its best.
// The first two take only ground that clearly belongs to the diagonal, the last two what no other wanted.
// [equal bytes] More: is stricter; goes on longer. Sets: none noted.
inline constexpr int kStrictPenalty = 3;
inline constexpr int kStrictDrop = 64;
inline constexpr int kLoosePenalty = 1;
inline constexpr int kLooseDrop = 32;

// The least score of a cover: along the current diagonal, of the local table, of the index.
// [equal bytes] More: takes fewer covers. Sets: none noted.
inline constexpr int kLeastSameScore = 6;
inline constexpr int kLeastNearScore = 14;
inline constexpr int kLeastFarScore = 28;

// What a cover has to pay for before it stays: a literal byte, one that differs, a change of the diagonal, a return to it.
// [1/16 bit] More: keeps more covers; of the others, fewer. Sets: none noted.
inline constexpr std::int64_t kLiteralCost = 74;
inline constexpr std::int64_t kMismatchCost = 128;
inline constexpr std::int64_t kFarOpCost = 640;
inline constexpr std::int64_t kSameOpCost = 256;

// A shorter gap on one diagonal is cheaper as residual than as literal; a longer cover pays whatever differs in it.
// [bytes] More: joins more covers; drops more. Sets: none noted.
inline constexpr std::uint64_t kBridgeBytes = 8;
inline constexpr std::uint64_t kLongCoverBytes = 512;

// How far a border between two covers may go: to where least differs, and to a round position.
// [bytes] More: looks farther. Sets: none noted.
inline constexpr std::uint64_t kMovedBorderBytes = 256;
inline constexpr std::uint64_t kRoundedBorderBytes = 4096;

}  // namespace bdelta
