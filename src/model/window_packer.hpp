// The numbers of a group as one code of the context coder: the mirror image of window_unpacker.
#pragma once

#include <vector>

#include "model/model_scope.hpp"
#include "model/window_encoder.hpp"

namespace bdelta {

struct PackedGroup {
  ModelScope scope;
  Bytes code;
  std::vector<std::uint64_t> taken_bytes;  // for each window: of the code, by a decoder that has read this window
  StreamSizes cost_bytes{};                // what each stream in scope has of the code
};

// `streams` as bits, with a table size that suits the group.
[[nodiscard]] ModelScope fitting_scope(const GroupDraft& draft, unsigned streams);

// Upper bound of the bytes that pack_group allocates for any scope of fitting_scope, beside its result.
[[nodiscard]] std::uint64_t packer_memory_bytes(const GroupDraft& draft);

// The same for all groups whose windows have no more than window_bytes.
[[nodiscard]] std::uint64_t packer_memory_bytes(std::uint64_t window_bytes);

// `watch` may be null; it is asked once a window, whose numbers are its units.
[[nodiscard]] PackedGroup pack_group(const GroupDraft& draft, const ModelScope& scope, Watch* watch = nullptr);

}  // namespace bdelta
