#include "view/rebuilding_writer.hpp"

#include <algorithm>

#include "base/try.hpp"

namespace bdelta::view {

RebuildingWriter::RebuildingWriter(PackedStreams streams, std::vector<deflate::StreamRecipe> recipes, std::uint64_t target_bytes,
                                   PositionedWriter* positioned, SequentialWriter* sequential)
    : streams_(std::move(streams)), recipes_(std::move(recipes)), target_bytes_(target_bytes), positioned_(positioned),
      sequential_(sequential), left_bytes_(streams_.empty() ? target_bytes : streams_.front().file_pos) {}

RebuildingWriter::~RebuildingWriter() = default;

Status RebuildingWriter::put(ByteSpan bytes) {
  hasher_.update(bytes);
  const std::uint64_t pos = file_pos_;
  file_pos_ += bytes.size();
  if (positioned_) return positioned_->write_at(pos, bytes);
  return sequential_ ? sequential_->write(bytes) : Status();
}

Status RebuildingWriter::begin_stream() {
  const PackedStream& stream = streams_[index_];
  rebuilder_ = std::make_unique<deflate::Rebuilder>(matchers_, recipes_[index_],
                                                    deflate::StreamSizes{stream.raw_bytes, stream.packed_bytes},
                                                    [this](ByteSpan packed) { return put(packed); });
  left_bytes_ = stream.raw_bytes;
  return {};
}

Status RebuildingWriter::end_stream() {
  BDELTA_TRY(rebuilder_->finish());
  rebuilder_.reset();
  const std::uint64_t end = streams_[index_++].file_end();
  left_bytes_ = (index_ < streams_.size() ? streams_[index_].file_pos : target_bytes_) - end;
  return {};
}

Status RebuildingWriter::write(ByteSpan view) {
  for (;;) {
    const ByteSpan piece = view.first(static_cast<std::size_t>(std::min<std::uint64_t>(view.size(), left_bytes_)));
    if (!piece.empty()) BDELTA_TRY(in_gap() ? put(piece) : rebuilder_->write(piece));
    left_bytes_ -= piece.size();
    view = view.subspan(piece.size());
    if (left_bytes_ > 0) return {};
    if (!in_gap()) {
      BDELTA_TRY(end_stream());
    } else if (index_ < streams_.size()) {
      BDELTA_TRY(begin_stream());
    } else {
      break;
    }
  }
  if (view.empty()) return {};
  return Error{ErrorCode::kPatchCorrupt, "it gives more than NEW has; fetch the patch again", file_pos_};
}

Status RebuildingWriter::finish() {
  BDELTA_TRY(write({}));  // streams of no bytes at the end
  if (index_ == streams_.size() && file_pos_ == target_bytes_) return {};
  return Error{ErrorCode::kPatchCorrupt, "it gives less than NEW has; fetch the patch again", file_pos_};
}

}  // namespace bdelta::view
