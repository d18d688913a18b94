#include "create/create_inputs.hpp"

#include <utility>

namespace bdelta {

FilePieces CreateInputs::append_target() {
  const ByteSpan source_bytes = source.bytes();
  return std::exchange(source_pieces, FilePieces({{0, source_bytes}, {source_bytes.size(), target.bytes()}}));
}

void CreateInputs::move_to_segment(Covers& covers) const noexcept {
  for (Cover& cover : covers) cover.target_pos += segment.begin;
}

}  // namespace bdelta
