// From covers to the streams of a group: the mirror image of window_decoder.
#pragma once

#include <vector>

#include "delta/cover.hpp"
#include "delta/file_pieces.hpp"
#include "delta/substitution_table.hpp"
#include "model/group_draft.hpp"
#include "parallel/watch.hpp"

namespace bdelta {

// Where positions of the target begin among those of the source, if no cover takes any.
inline constexpr std::uint64_t kNoTargetCopies = ~std::uint64_t{0};

// A stretch of the target as outlines see it. Plain: exactly source[diagonal + target_pos).
struct Segment {
  std::uint64_t target_pos = 0;
  std::uint64_t target_length = 0;
  bool plain = false;
  std::int64_t diagonal = 0;  // plain only
  bool predicted = false;     // its covers stand apart; not plain
};

// What copies are taken from.
struct CopySources {
  const FilePieces& source;
  // In its place, at the positions of the target: what copies of the source give. Null where that is the source.
  const FilePieces* copied = nullptr;
  // What covers take from here on is the target's: `source` then has its bytes there, and none are made in them.
  std::uint64_t target_from = kNoTargetCopies;
};

// Encodes the segments of a group, in order. `covers` are all that touch the segments, which lie in the piece of target
// at hand; so do the bytes they copy in the pieces of source. Windows end at window_bytes of target, or earlier where a
// limit of streams.hpp is near. `substitutions`, which may be null, are made in what coded windows copy. Bytes of coded
// windows are units of `watch`, which may be null.
[[nodiscard]] GroupDraft encode_group(const CopySources& from, const FilePieces& target, const Covers& covers,
                                      const std::vector<Segment>& segments, std::uint64_t window_bytes,
                                      const SubstitutionTable* substitutions = nullptr, Watch* watch = nullptr);

// The same without prediction, and without copies of the target.
[[nodiscard]] inline GroupDraft encode_group(const FilePieces& source, const FilePieces& target, const Covers& covers,
                                             const std::vector<Segment>& segments, std::uint64_t window_bytes,
                                             const SubstitutionTable* substitutions = nullptr, Watch* watch = nullptr) {
  return encode_group(CopySources{source}, target, covers, segments, window_bytes, substitutions, watch);
}

}  // namespace bdelta
