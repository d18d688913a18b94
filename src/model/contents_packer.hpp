// The contents of a group as codes, one for each lane: the mirror image of contents_unpacker.
#pragma once

#include <vector>

#include "bdelta/io.hpp"
#include "model/contents_scope.hpp"
#include "model/window_encoder.hpp"

namespace bdelta {

// Both files, as whoever packs contents reads them. The readers and what `predicted` shows must outlive the packing.
struct ContentsInputs {
  RandomReader* source = nullptr;
  RandomReader* target = nullptr;
  ByteSpan predicted;  // what copies give by prediction, at the positions of the target; empty: what the source holds
  const SubstitutionTable* substitutions = nullptr;  // replaced in that
};

// The code of a lane.
struct PackedLane {
  Bytes code;
  std::vector<std::uint64_t> taken_bytes;  // for each coded window of the lane: of the code, by who has decoded it
  StreamSizes cost_bytes{};                // of the code: of literals, of flags as kResidualGaps, of kResidualValues
};

// Lanes of a group that is large enough for several: each learns from its own windows alone, so they cost bytes.
inline constexpr unsigned kPackedLanes = 2;

// Upper bound of the bytes that pack_lane allocates beside its result, for windows of so many bytes.
[[nodiscard]] std::uint64_t contents_packer_bytes(std::uint64_t window_bytes);

// `watch` may be null. Errors are those of the inputs.
[[nodiscard]] Result<PackedLane> pack_lane(const GroupDraft& draft, const ContentsScope& scope, unsigned lane,
                                           const ContentsInputs& inputs, Watch* watch = nullptr);

// The windows as they stand in a group whose contents are coded so, and the code's bytes in their order.
struct CodedContents {
  ContentsScope scope;
  std::vector<WindowRecord> windows;
  Bytes code;
  StreamSizes cost_bytes{};
  bool sound = false;  // a reader takes it: no window has more code than is allowed
};
[[nodiscard]] CodedContents join_lanes(const GroupDraft& draft, const ContentsScope& scope,
                                       const std::vector<PackedLane>& lanes);

}  // namespace bdelta
