// Version 2 patches made by hand: with small windows and groups, with any codec, and with headers that lie.
#pragma once

#include <optional>

#include "create/group_outline.hpp"
#include "format/native/writer.hpp"
#include "support/memory.hpp"
#include "support/records.hpp"

namespace bdelta::test {

struct Craft {
  CodecSettings codec{CodecId::kZstd, 3, 0};  // of every stream
  bool model = false;                         // numbers through the context coder where that is smaller
  bool modelled_literals = false;                // literals by their model likewise
  bool modelled_misses = false;                  // misses likewise
  std::uint64_t lane_bytes = 1 << 20;         // of coded target, from where modelled bytes have several lanes
  std::uint64_t window_bytes = 4096;
  std::uint64_t group_bytes = 16384;          // target bytes of a group
  Fills fills;                                // of the target; windows are before_fills
  MovedNumbers moved_numbers;                 // of the source; none if there are no lists
  std::optional<SubstitutionTable> substitutions;  // made in what coded windows copy
  bool covers_apart = false;  // in front of all groups as with prediction; none meet on a diagonal
  ByteRanges predicted;     // with covers_apart: what of the target; all of it where there are none
  std::optional<PredictionPlan> plan;         // with covers_apart: what is predicted, of these covers; nothing without
  bool coded_first = false;   // all groups, before any is written
  std::vector<GroupOutline> outlines;               // empty: coded groups of group_bytes; not with covers_apart
};

// `covers` as the format allows them: what they take from source.size() on is the target's. Digests and declarations
// are right.
[[nodiscard]] Bytes craft_patch(ByteSpan source, ByteSpan target, const Covers& covers, const Craft& craft);

// What the covers of a plan copy, at its place in the target; zeros elsewhere.
[[nodiscard]] Bytes predicted_copies(ByteSpan source, std::size_t target_size, const PredictionPlan& plan);

// Covers as the matcher of level 3 finds them.
[[nodiscard]] Covers covers_of(ByteSpan source, ByteSpan target);

// A header that is right for the pair, to be bent by a test.
[[nodiscard]] native::Header header_of(ByteSpan source, ByteSpan target);

// The header, then the records of `body` with checksums that fit, as far as it has whole ones.
[[nodiscard]] Bytes with_header(const native::Header& header, ByteSpan body);
[[nodiscard]] bool has_record(ByteSpan patch, native::RecordTag tag);

// Splits a patch behind its header.
struct SplitPatch {
  native::Header header;
  Bytes body;
};
[[nodiscard]] SplitPatch split_patch(ByteSpan patch);

// One group record: tag, sizes, head with its length, then `frames` as they are.
[[nodiscard]] Bytes group_record(std::uint64_t target_bytes, ByteSpan head, ByteSpan frames);

// A version 1 patch out of its parts.
struct Bdt1Match {
  std::int32_t source_seek;
  std::uint32_t literal_bytes;
  std::uint32_t length;
};
[[nodiscard]] Bytes bdt1_patch(std::uint32_t source_size, std::uint32_t target_size,
                               const std::vector<Bdt1Match>& matches, ByteSpan literals);
// The header alone, with a count of matches that need not be there.
[[nodiscard]] Bytes bdt1_header(std::uint32_t source_size, std::uint32_t target_size, std::uint32_t match_count);

}  // namespace bdelta::test
