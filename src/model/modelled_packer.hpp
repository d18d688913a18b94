// The modelled bytes of a group as codes, one for each lane: the mirror image of modelled_unpacker.
#pragma once

#include <vector>

#include "bdelta/io.hpp"
#include "model/modelled_scope.hpp"
#include "model/window_encoder.hpp"

namespace bdelta {

// Both files, as the packer of modelled bytes reads them. The readers and what `predicted` shows must outlive the
// packing.
struct ModelledInputs {
  RandomReader* source = nullptr;
  RandomReader* target = nullptr;
  ByteSpan predicted;  // what copies give by prediction, at the positions of the target; empty: what the source holds
  const SubstitutionTable* substitutions = nullptr;  // replaced in that
};

// The code of a lane.
struct PackedLane {
  Bytes code;
  std::vector<std::uint64_t> taken_bytes;  // for each of its windows: of the code, by who has decoded it
  StreamSizes cost_bytes{};                // of the code: of literals, of flags as kResidualGaps, of kResidualValues
};

// Lanes of a group that is large enough for several: each learns from its own windows alone, so they cost bytes.
inline constexpr unsigned kPackedLanes = 2;

// Upper bound of the bytes that pack_lane allocates beside its result, for windows of so many bytes.
[[nodiscard]] std::uint64_t modelled_packer_bytes(std::uint64_t window_bytes);

// Of the windows that may have modelled bytes. `watch` may be null. Errors are those of the inputs.
[[nodiscard]] Result<PackedLane> pack_lane(const GroupDraft& draft, const ModelledScope& scope, unsigned lane,
                                           const ModelledInputs& inputs, Watch* watch = nullptr);

// The windows as they stand in a group with such modelled bytes, and the code's bytes in their order.
struct ModelledGroup {
  ModelledScope scope;
  std::vector<WindowRecord> windows;
  Bytes code;
  StreamSizes cost_bytes{};
  bool sound = false;  // a reader takes it: no window has more code than is allowed
};
[[nodiscard]] ModelledGroup join_lanes(const GroupDraft& draft, const ModelledScope& scope,
                                       const std::vector<PackedLane>& lanes);

}  // namespace bdelta
