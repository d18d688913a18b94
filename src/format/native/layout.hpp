// What a version 2 patch looks like: constants and the header. FORMAT.md beside this file is the specification.
#pragma once

#include "hash/xxh3.hpp"
#include "base/bytes.hpp"
#include "model/streams.hpp"

namespace bdelta::native {

inline constexpr std::uint8_t kMagic[3] = {'B', 'D', 'T'};
inline constexpr std::uint16_t kVersion = 2;
inline constexpr std::uint8_t kDraft = 4;  // until the first release; readers refuse other drafts

// Required feature bits; a reader refuses those it does not know. See FORMAT.md for those that are reserved.
inline constexpr std::uint64_t kFeaturePrediction = 1u << 0;     // a global record and groups of covers
inline constexpr std::uint64_t kFeatureTargetCopies = 1u << 1;   // windows may copy from the target in front of them
inline constexpr std::uint64_t kFeatureView = 1u << 2;           // positions are those of a view
inline constexpr std::uint64_t kFeatureTree = 1u << 5;           // OLD and NEW are directories
inline constexpr std::uint64_t kFeatureSlowModels = 1u << 7;     // models that take longer
inline constexpr std::uint64_t kFeatureModelledLiterals = 1u << 9;  // windows may have modelled literals
inline constexpr std::uint64_t kFeatureModelledMisses = 1u << 14;   // windows may have modelled misses
inline constexpr std::uint64_t kKnownFeatures =
    kFeaturePrediction | kFeatureTargetCopies | kFeatureView | kFeatureTree |
    kFeatureModelledLiterals | kFeatureModelledMisses;

// What a record of trees has behind its patterns.
inline constexpr std::uint64_t kTreeTimes = 1u << 0;
inline constexpr std::uint64_t kTreeSourceList = 1u << 1;

// The low bits of what a coded window's entry in the table begins with; the length stands above them. Plain ones have
// one bit. Covers are neither predicted nor modelled.
inline constexpr unsigned kWindowCoded = 1u << 0;
inline constexpr unsigned kWindowPredicted = 1u << 1;
inline constexpr unsigned kWindowModelled = 1u << 2;
inline constexpr unsigned kWindowCovers = 1u << 3;
inline constexpr unsigned kWindowBits = 4;

// First byte of a group's head: how its streams are coded.
inline constexpr unsigned kFormPacked = 1u << 0;    // some streams in one code of the context coder; a byte says which
inline constexpr unsigned kFormLiterals = 1u << 1;  // packed: the group has a stream of literals
inline constexpr unsigned kFormModelledBytes = 1u << 2;  // windows may have modelled bytes; a byte says of what
inline constexpr unsigned kFormTableShift = 4;      // packed: log of the model's tables in the high four bits

// A byte of the form of a group with modelled bytes. Behind it come the numbers of the models that are used, and
// behind that of the miss model the log of its slots. All other models are reserved.
inline constexpr unsigned kModelledLiterals = 1u << 0;
inline constexpr unsigned kModelledMisses = 1u << 1;
inline constexpr unsigned kModelledTwoLanes = 1u << 2;  // instead of one

// Numbers of models, a byte each.
inline constexpr std::uint8_t kLiteralModel = 1;
inline constexpr std::uint8_t kMissModel = 1;

// The frames of a packed group's code stand as one stream more, without a raw size.
inline constexpr std::uint8_t kCodeFrameId = kStreamCount;

// Records stand in the order of their tags, but that of trees in front of that of views; only those of covers and of
// groups are there more than once. Even tags must be known; records with odd ones may be skipped. 6 is reserved for trees.
enum class RecordTag : std::uint8_t {
  kEnd = 0, kDigests = 1, kView = 2, kTree = 4, kFills = 8, kMovedNumbers = 10, kSubstitutions = 12, kGlobal = 14,
  kCovers = 16, kGroup = 32
};

inline constexpr std::uint64_t kMaxHeaderBytes = 4096;
inline constexpr std::uint64_t kMaxRecordBytes = (std::uint64_t{1} << 48) - 1;  // of a body: sums stay below 2^64
inline constexpr std::uint64_t kMaxGroupHeadBytes = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kMaxGroupWindows = 16384;
inline constexpr std::uint64_t kMaxGlobalBytes = std::uint64_t{256} << 20;  // of the images and labels of a patch, decoded
inline constexpr std::uint64_t kMaxFillRecordBytes = std::uint64_t{2} << 20;
inline constexpr std::uint64_t kMaxMovedNumberRecordBytes = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kMaxSubstitutionRecordBytes = std::uint64_t{32} << 20;
inline constexpr std::uint64_t kMaxTreePatterns = 1024;
inline constexpr std::uint64_t kMaxTreeListBytes = std::uint64_t{512} << 20;  // of times, or of OLD's entries, decoded
inline constexpr std::uint64_t kMaxFrameBytes = std::uint64_t{1} << 20;  // raw bytes of one frame

struct Header {
  std::uint64_t required_features = 0;
  std::uint64_t optional_features = 0;
  std::uint64_t source_size = 0;
  std::uint64_t target_size = 0;
  Digest128 source_digest{};
  Digest128 target_digest{};
  std::uint64_t window_bytes = 0;          // the largest window that is not plain, target bytes
  std::uint64_t group_bytes = 0;           // the largest body of a group
  std::uint64_t decoder_memory_bytes = 0;  // what the coder state of one group takes, with what else is kept
  std::uint64_t history_bytes = 0;         // with kFeatureTargetCopies: kept of the target in front of a window
};

// The whole header, magic to checksum.
[[nodiscard]] Bytes encode_header(const Header& header);

// What stands behind the draft number, up to the checksum. Errors: kUnsupportedFeature, kPatchCorrupt.
Result<Header> decode_header_fields(ByteSpan fields);

}  // namespace bdelta::native
