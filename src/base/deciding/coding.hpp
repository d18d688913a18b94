// What decides how ops become coded bytes. README.md says what a row has.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bdelta {

// Bytes of a stream below which no codec earns its own back.
// [bytes] More: leaves more as it is. Sets: none noted.
inline constexpr std::uint64_t kShortStreamBytes = 24;

// Bytes between two plain windows that are cheapest as literals: one stream instead of five.
// [bytes] More: makes more of them literals. Sets: none noted.
inline constexpr std::uint64_t kTinyWindowBytes = 12;

// Tables of the context coder and of the model of misses double for each so many numbers and misses of a group.
// [numbers] More: makes tables smaller. Sets: none noted.
inline constexpr std::uint64_t kNumbersPerTable = 512;
inline constexpr std::uint64_t kMissesPerTable = 8192;

// Coded target from where modelled bytes have several lanes.
// [bytes] More: uses one lane longer, is smaller and slower. Sets: none noted.
inline constexpr std::uint64_t kTwoLanesBytes = std::uint64_t{16} << 20;

// What a stream of its own takes for tables and frame.
// [bytes] More: puts more into the context coder. Sets: none noted.
inline constexpr std::uint64_t kStreamOverheadBytes = 6;

// The context coder is far ahead where it leaves no more of what a fast codec does; slow ones aren't tried then.
// [ratio] More: tries them less often. Sets: 155 MB of streams of public pairs: 62 % are that well coded, LZMA made one smaller by 597 bytes.
inline constexpr std::uint64_t kAheadNumerator = 17;
inline constexpr std::uint64_t kAheadDenominator = 20;

// Likewise the model of misses, where the fast codec leaves so much; of fewer, trying others takes no time.
// [ratio, bytes] More: tries others less often; more often. Sets: none noted.
inline constexpr std::uint64_t kFarAheadNumerator = 3;
inline constexpr std::uint64_t kFarAheadDenominator = 4;
inline constexpr std::uint64_t kFarAheadLeastBytes = 4096;

// Bytes of coded copies that nobody needs to look at, in all and as a share of their group.
// [bytes, share] More: doubts fewer copies; more. Sets: none noted.
inline constexpr std::uint64_t kDoubtLeastBytes = 64;
inline constexpr std::uint64_t kDoubtShare = 256;

// Copies are doubted where they take more than 1/margin of what the copied bytes would at the rate of the literals. The
// first margin is that of groups that mostly copy, the second of those that are mostly literals. Of fewer literals the rate
// means nothing: so many bytes are one.
// [margin, bytes] More: doubts more copies; trusts fewer rates; doubts fewer. Sets: none noted.
inline constexpr std::uint64_t kCopiedMargin = 2;
inline constexpr std::uint64_t kLiteralMargin = 8;
inline constexpr std::uint64_t kLeastRateBytes = 4096;
inline constexpr std::uint64_t kUsualRatio = 8;

// Literals that tell how the slow codec does, and the share of a group that a forecast must be beyond it.
// [bytes, share] More: believes fewer forecasts; more. Sets: none noted.
inline constexpr std::size_t kLeastForecastBytes = std::size_t{1} << 20;
inline constexpr std::uint64_t kForecastShare = 8;

// Of a stream so short other codecs are tried: LZMA learns as it goes, zstd's slow levels begin with prices of their own.
// [bytes, levels of zstd] More: tries more of them. Sets: twelve small pairs of text, 1 % smaller at level 6.
inline constexpr std::uint64_t kFewCodedBytes = std::uint64_t{16} << 10;
inline constexpr int kLevelsOfFew[] = {15, 9};

// Of a shorter stream a slow codec takes no time, so it needs no fast one first.
// [bytes] More: codes with the slow one at once. Sets: none noted.
inline constexpr std::size_t kQuickStreamBytes = 4096;

// A longer stream is looked at before it goes to a codec, of which a fast level must save one byte in so many.
// [bytes, share, level] More: looks at fewer; leaves fewer as they are; is slower. Sets: none noted.
inline constexpr int kFastLevel = 1;
inline constexpr std::uint64_t kProbedBytes = std::uint64_t{256} << 10;
inline constexpr std::uint64_t kGainShare = 500;

// LZMA must save one byte in so many of pieces. Where it doesn't save one in so many, it must also save more than zstd. The
// trials are at these levels, of so many bytes at most.
// [share, level, bytes] More: uses LZMA more often; less often; tells more and takes longer. Sets: none noted.
inline constexpr std::uint64_t kNearGainShare = 32;
inline constexpr std::uint64_t kMuchGainShare = 8;
inline constexpr int kTrialLevel = 1;
inline constexpr int kThoroughLevel = 19;
inline constexpr std::size_t kMostTrialBytes = std::size_t{256} << 10;

// Where entropy says that one byte in so many can be saved, a thorough codec is asked and must save one in so many.
// [share] More: codes more. Sets: none noted.
inline constexpr std::uint64_t kUnevenShare = 200;
inline constexpr std::uint64_t kEntropyGainShare = 250;

// Or one sample in so many must have stood before; one position in 2^shift is a sample.
// [share, log] More: codes more; takes fewer samples. Sets: none noted.
inline constexpr std::uint64_t kRepeatShare = 1000;
inline constexpr unsigned kRepeatSampleShift = 5;

// The pieces: so much of each stretch of so many bytes, and how much is coded before the gain is first looked at.
// [bytes] More: tells more and takes longer; of the second, less. Sets: none noted.
inline constexpr std::size_t kProbePieceBytes = std::size_t{16} << 10;
inline constexpr std::size_t kProbeStrideBytes = std::size_t{64} << 10;
inline constexpr std::size_t kFirstLookBytes = std::size_t{64} << 10;

// What slow coders leave of what the quick codec leaves, in sixteenths. They leave so much of numbers and of the residual at
// least, of the residual through its model, and of literals at least. The shares tell how much less literals usually take,
// alone and beside modelled misses. The eighths are those of a residual that is no noise.
// [1/16, share, 1/8] More: trusts the coder less; more; takes less for noise. Sets: 12 pairs of all kinds at level 9, 35 pairs with five to nine sets of covers.
inline constexpr std::uint64_t kLowNumberSixteenths = 12;
inline constexpr std::uint64_t kModelledSixteenths = 9;
inline constexpr std::uint64_t kLowLiteralSixteenths = 11;
inline constexpr std::uint64_t kLiteralGainShare = 8;
inline constexpr std::uint64_t kLiteralGainBesideMisses = 4;
inline constexpr std::uint64_t kNoiseEighths = 7;

}  // namespace bdelta
