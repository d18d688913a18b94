// What decides about what is unpacked. README.md says what a row has.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bdelta {

// Streams that nobody lists. They are looked for where nothing covers a stretch of so many bytes or more. The head may be so
// far in front of it, and no more than so many times the stretch. Else small changes everywhere would have all of a file
// looked at. At most so many bytes of a stream are unpacked. Then the work for what only looks like streams. A packed byte
// counts as one, and each byte of a file is worth so many. A head and a table of codes count as so many, and so many bytes
// of text count as a packed one.
// [bytes, ratio] More: looks at less, with the first, a head's and a table's; with the others at more. Sets: 35 files and 6 libraries for the work.
inline constexpr std::uint64_t kLeastFreeBytes = 64;
inline constexpr std::uint64_t kMostBytesBefore = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kBeforeRatio = 16;
inline constexpr std::uint64_t kMostHiddenRawBytes = std::uint64_t{64} << 20;
inline constexpr std::uint64_t kScanWorkRatio = 8;
inline constexpr std::uint64_t kHeadWork = 64;
inline constexpr std::uint64_t kTableWork = 256;
inline constexpr std::uint64_t kRawBytesPerWork = 4;

// Bytes of a sample of so many that have their highest bit set in packed data, where half have, and hardly any in text.
// [bytes] More: takes more for text. Sets: none noted.
inline constexpr std::size_t kPackedSampleBytes = 64;
inline constexpr int kLeastHighBytes = 12;

// Packed bytes of a PNG that are worth unpacking.
// [bytes] More: unpacks fewer. Sets: none noted.
inline constexpr std::uint64_t kLeastPackedBytes = 64;

// What an applier may take to unpack OLD within its usual limit, and what of it is for tables and a packed stream of each view
// of a view.
// [bytes] More: unpacks more; less. Sets: the applier's limit of 256 MiB.
inline constexpr std::uint64_t kMostViewApplyBytes = std::uint64_t{176} << 20;
inline constexpr std::uint64_t kFurtherViewBytes = std::uint64_t{30} << 20;

// What is unpacked of either file, as few packed bytes may be very many: so much, and so many times a large one up to a bound.
// [bytes, ratio] More: unpacks more. Sets: none noted.
inline constexpr std::uint64_t kAmpleRawBytes = std::uint64_t{176} << 20;
inline constexpr std::uint64_t kMostRawBytes = std::uint64_t{1024} << 20;
inline constexpr std::uint64_t kUsualRawRatio = 16;

// A limit of making has room for both views. They take 1/share of it, or less, so that as much as the work needs at least is
// left. They always have the small share. Views that are held beside the next ones leave a share free with them. Analysing
// takes so many bytes for each packed one of NEW's largest stream: tokens, and those that stored blocks would have. Without
// a limit both files, and both views, have so many bytes.
// [shares, bytes, ratio] More: unpacks less but for the third and last. Sets: seven pairs under four limits for the first.
inline constexpr std::uint64_t kViewLimitShare = 2;
inline constexpr std::uint64_t kSmallLimitShare = 4;
inline constexpr std::uint64_t kHeldLimitShare = 4;
inline constexpr std::uint64_t kLeftForWorkBytes = std::uint64_t{64} << 20;
inline constexpr std::uint64_t kAnalysisRatio = 8;
inline constexpr std::uint64_t kMostViewsBytes = std::uint64_t{8} << 30;

// The part of its stream that a recipe may have.
// [share] More: unpacks fewer. Sets: none noted.
inline constexpr std::uint64_t kWorthShare = 4;

// Tokens of OLD's streams that NEW's may take. These are the least covers that are held against them, and what is looked at
// on both sides of one. A text's bytes are decoded for it so many times at most.
// [bytes, ratio] More: looks at fewer covers; allows less where copies reach further than covers; allows more. Sets: none noted.
inline constexpr std::uint64_t kLeastLentBytes = std::uint64_t{16} << 10;
inline constexpr std::uint64_t kBesideLentBytes = 4096;
inline constexpr std::uint64_t kLentWorkRatio = 16;

// Archives inside each other, where they are not packed.
// [levels] More: finds more members and is slower. Sets: none noted.
inline constexpr unsigned kMostNesting = 4;

// Texts of OLD that NEW has packed. A patch takes so many bits for a byte that is new, and for one that changes in a copy.
// It takes so many bytes to say that a text is unpacked. As a rule such texts hold 1/share of what is missing.
// [bits, bytes, share] More: unpacks more; more; less; looks less. Sets: 17 pairs at three levels, 19 others for the share.
inline constexpr std::uint64_t kNewByteBits = 2;
inline constexpr std::uint64_t kChangedByteBits = 6;
inline constexpr std::uint64_t kListedTextBytes = 8;
inline constexpr std::uint64_t kFoundShare = 32;

// One position in 2^shift of what is missing is a sample, or fewer, so that there are hardly more than so many.
// [log, samples] More: is faster and tells less of short texts; the other way round. Sets: none noted.
inline constexpr unsigned kMissingSampleShift = 3;
inline constexpr std::uint64_t kMostMissingSamples = std::uint64_t{1} << 16;

}  // namespace bdelta
