// Nominal nanoseconds. `bdelta-bench prices` measures them; none is tuned for sizes. README.md says what a row has.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bdelta {

// A modelled literal, with its share of the source that is brought in.
// [ns] More: models fewer literals. Sets: bdelta-bench prices.
inline constexpr std::uint64_t kLiteralNs = 690;

// Memory and training of the model of literals, with however few of them.
// [ns] More: models fewer literals. Sets: bdelta-bench prices.
inline constexpr std::uint64_t kFirstLiteralNs = 1'000'000;

// A copied byte that the model of misses passes, and a byte that differs, with those around it that are told to be right.
// [ns] More: models fewer misses. Sets: bdelta-bench prices.
inline constexpr std::uint64_t kCopiedNs = 1;
inline constexpr std::uint64_t kMissNs = 2000;

// A number of each stream through the context coder; a byte of a codec's own; and one that a codec makes.
// [ns] More: codes fewer streams so; more; nothing, it is told alone. Sets: bdelta-bench prices.
inline constexpr std::uint64_t kNumberNs[] = {150, 150, 150, 120, 40, 150};
inline constexpr std::uint64_t kCodedByteNs = 50;
inline constexpr std::uint64_t kRawByteNs = 1;

// Unpacking takes so much for a byte of text, with keeping it, and for each stream however short. Making a view once more, or
// looking in a text for what is missing, takes so much for each byte. Packing a text again takes so much for each byte with an
// encoder that makes no search. Other encoders take so much for each KiB, and for each token of a greedy search, a lazy one and
// one by ranks. They also take so much for 1,024 candidates without ranks and with them, and for each stream however short.
// [ns] More: unpacks less; looks less; nothing. Sets: 95 packages at level 3, 115 pairs at four levels; bdelta-bench prices.
inline constexpr std::uint64_t kUnpackNs = 3;
inline constexpr std::uint64_t kUnpackStreamNs = 8500;
inline constexpr std::uint64_t kLookNs = 8;
inline constexpr std::uint64_t kUnsearchedByteNs = 3;
inline constexpr std::uint64_t kSearchedKiBNs = 1500;
inline constexpr std::uint64_t kTokenNs[] = {21, 33, 90};
inline constexpr std::uint64_t kCandidatesNs[] = {1500, 3400};
inline constexpr std::uint64_t kMadeStreamNs = 5700;

// The digest of a KiB of a file, in the place of one that a list has.
// [ns] More: leaves fewer digests to who applies. Sets: bdelta-bench prices.
inline constexpr std::uint64_t kHashedKiBNs = 650;

// Any patch; making a KiB of NEW, checking and digesting it; keeping a KiB of OLD's view; and a byte of NEW that is predicted.
// [ns] More: nothing, it is told alone. Sets: 50 packages; but for the last, bdelta-bench prices.
inline constexpr std::uint64_t kPatchNs = 770'000;
inline constexpr std::uint64_t kTargetKiBNs = 1100;
inline constexpr std::uint64_t kViewKiBNs = 1000;
inline constexpr std::uint64_t kPredictedNs = 8;

// Making a prediction, for each byte of NEW.
// [ns] More: predicts less. Sets: none noted.
inline constexpr std::uint64_t kPredictionNs = 40;

// What may be spent for however few bytes: on models, and on a stream in the context coder.
// [ns] More: models more. Sets: none noted.
inline constexpr std::uint64_t kFreeModelNs = 10'000'000;
inline constexpr std::uint64_t kFreeStreamNs = 1'000'000;

}  // namespace bdelta
