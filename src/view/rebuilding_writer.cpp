#include "view/rebuilding_writer.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "hash/adler32.hpp"
#include "hash/crc32.hpp"

namespace bdelta::view {
namespace {

constexpr std::size_t kLookBytes = std::size_t{256} << 10;  // of a stream's text, between two looks at the watch

}  // namespace

RebuildingWriter::RebuildingWriter(TargetShape target, PositionedWriter* positioned, SequentialWriter* sequential,
                                   WorkerPool* pool, Watch* watch)
    : target_(std::move(target)), positioned_(positioned), sequential_(sequential), pool_(pool), watch_(watch),
      headers_(target_.replaced.directories) {
  begin_gap(0);
}

RebuildingWriter::~RebuildingWriter() = default;

Status RebuildingWriter::put(ByteSpan bytes) {
  hasher_.update(bytes);
  const std::uint64_t pos = file_pos_;
  file_pos_ += bytes.size();
  if (positioned_) return positioned_->write_at(pos, bytes);
  return sequential_ ? sequential_->write(bytes) : Status();
}

// Puts what is held, of which the first bytes are of the gap.
Status RebuildingWriter::put_held(std::size_t gap_bytes) {
  headers_.pass(file_pos_, ByteSpan(held_).first(gap_bytes));
  BDELTA_TRY(put(held_));
  held_.clear();
  return {};
}

// And no stream in front of it.
bool RebuildingWriter::is_directory_next() const noexcept {
  const ZipDirectories& directories = target_.replaced.directories;
  if (directory_ == directories.size()) return false;
  return index_ == target_.streams().size() || directories[directory_].file_pos < target_.streams()[index_].file_pos;
}

// Up to the next stream or directory, or NEW's end.
void RebuildingWriter::begin_gap(std::uint64_t pos) {
  part_ = Part::kGap;
  const std::uint64_t end = is_directory_next()                 ? target_.replaced.directories[directory_].file_pos
                            : index_ < target_.streams().size() ? target_.streams()[index_].file_pos
                                                                : target_.bytes;
  left_bytes_ = gap_bytes_ = end - pos;
}

// What follows from the stream before is held until it is whole, and what follows from the next one until that is at hand.
Status RebuildingWriter::put_gap(ByteSpan view) {
  const std::uint64_t start = std::min(gap_bytes_, kMostFieldsBehindBytes);
  const bool is_before_stream = index_ < target_.streams().size() && !is_directory_next();
  const std::uint64_t end = gap_bytes_ - (is_before_stream ? std::min(gap_bytes_, kMostHeadBytes) : 0);
  for (std::uint64_t at = gap_bytes_ - left_bytes_; !view.empty();) {
    const std::uint64_t most = at < start ? start - at : at < end ? end - at : view.size();
    const ByteSpan piece = view.first(static_cast<std::size_t>(std::min<std::uint64_t>(view.size(), most)));
    view = view.subspan(piece.size());
    if (at >= start && at < end) {
      headers_.pass(file_pos_, piece);
      BDELTA_TRY(put(piece));
    } else {
      append(held_, piece);
    }
    at += piece.size();
    if (at != start || piece.empty()) continue;
    swap_behind(place_.kind, held_, fields_);
    if (start <= end) BDELTA_TRY(put_held(held_.size()));
  }
  return {};
}

// What follows from the stream that begins here, and what it has in front.
void RebuildingWriter::find_place() {
  const PackedStream& stream = target_.streams()[index_];
  place_ = target_.kind == StreamKind::kDeflate ? find_fields(held_) : FieldPlace();
  fields_ = {0, stream.packed_bytes, stream.raw_bytes, kAdler32Start};
  tells_crc_ = place_.kind != FieldKind::kNone && fields_.tells_crc();
  if (place_.kind == FieldKind::kZipHeader) swap_sizes_in_front(MutableByteSpan(held_).subspan(place_.pos), fields_);
}

Status RebuildingWriter::put_stream(std::size_t index, ByteSpan packed, std::uint32_t crc, std::uint32_t adler) {
  while (index_ < index || is_directory_next()) BDELTA_TRY(begin_part());
  find_place();
  fields_.crc = crc;
  fields_.adler = adler;
  if (place_.kind == FieldKind::kZipHeader) swap_crc_in_front(MutableByteSpan(held_).subspan(place_.pos), fields_);
  BDELTA_TRY(put_held(held_.size()));
  BDELTA_TRY(put(packed));
  view_pos_ += target_.streams()[index].raw_bytes;
  begin_gap(target_.streams()[index_++].file_end());
  return {};
}

Status RebuildingWriter::begin_stream() {
  part_ = Part::kStream;
  find_place();
  const PackedStream& stream = target_.streams()[index_];
  const bool holds = place_.kind == FieldKind::kZipHeader && tells_crc_;
  held_gap_bytes_ = held_.size();
  if (holds) held_.reserve(held_.size() + static_cast<std::size_t>(stream.packed_bytes));
  if (!holds) BDELTA_TRY(put_held(held_.size()));
  const auto take = [this, holds](ByteSpan packed) -> Status {
    if (!holds) return put(packed);
    append(held_, packed);
    return {};
  };
  left_bytes_ = stream.raw_bytes;
  if (!target_.proven.empty()) {
    proven_text_.emplace(target_.proven[index_], take);
    return {};
  }
  if (target_.kind == StreamKind::kPngChunks) {
    chunk_writer_.emplace(target_.chunks[index_], take);
    return {};
  }
  rebuilder_ = std::make_unique<deflate::Rebuilder>(matchers_, target_.recipes[index_],
                                                    deflate::StreamSizes{stream.raw_bytes, stream.packed_bytes}, take, pool_, copied_);
  return {};
}

Status RebuildingWriter::end_stream() {
  BDELTA_TRY(chunk_writer_ ? chunk_writer_->finish() : proven_text_ ? proven_text_->finish() : rebuilder_->finish());
  rebuilder_.reset();
  chunk_writer_.reset();
  proven_text_.reset();
  if (!held_.empty()) {
    swap_crc_in_front(MutableByteSpan(held_).subspan(place_.pos), fields_);
    BDELTA_TRY(put_held(held_gap_bytes_));
  }
  begin_gap(target_.streams()[index_++].file_end());
  return {};
}

void RebuildingWriter::begin_directory() {
  part_ = Part::kDirectory;
  left_bytes_ = target_.replaced.directories[directory_].description_bytes;
  held_.reserve(static_cast<std::size_t>(left_bytes_));
}

Status RebuildingWriter::end_directory() {
  const auto made = make_directory(held_, headers_.take_next(), target_.replaced.directories[directory_++]);
  if (!made) return Error{ErrorCode::kPatchCorrupt, "what it says of NEW's directory of an archive can't be; fetch the patch again", file_pos_};
  Bytes().swap(held_);
  BDELTA_TRY(put(*made));
  place_ = {};
  begin_gap(file_pos_);
  return {};
}

Status RebuildingWriter::rebuild(ByteSpan text) {
  if (tells_crc_ && place_.kind == FieldKind::kZlibTrailer) fields_.adler = adler32(text, fields_.adler);
  else if (tells_crc_) fields_.crc = crc32(text, *fields_.crc);
  const bool lends = copied_ && rebuilder_ && target_.recipes[index_].lends;
  const std::uint64_t stream_pos = view_pos_ + left_bytes_ - target_.streams()[index_].raw_bytes;
  for (std::uint64_t pos = view_pos_; !text.empty();) {
    const ByteSpan piece = text.first(std::min(text.size(), kLookBytes));
    if (lends) copied_->find(pos, piece, stream_pos, [this](const deflate::TextCopy& copy) { rebuilder_->add_copy(copy); });
    pos += piece.size();
    BDELTA_TRY(chunk_writer_ ? chunk_writer_->write(piece) : proven_text_ ? proven_text_->write(piece) : rebuilder_->write(piece));
    if (watch_) BDELTA_TRY(watch_->check());
    text = text.subspan(piece.size());
  }
  return {};
}

Status RebuildingWriter::put_piece(ByteSpan view) {
  switch (part_) {
    case Part::kStream:
      return rebuild(view);
    case Part::kDirectory:
      append(held_, view);
      return {};
    case Part::kGap:
      return put_gap(view);
  }
  return {};
}

// Behind a gap that is at its end.
Status RebuildingWriter::begin_part() {
  if (is_directory_next()) {
    begin_directory();
  } else if (index_ < target_.streams().size()) {
    BDELTA_TRY(begin_stream());
  } else {
    return Error{ErrorCode::kPatchCorrupt, "it gives more than NEW has; fetch the patch again", file_pos_};
  }
  return left_bytes_ == 0 ? end_part() : Status();
}

Status RebuildingWriter::end_part() {
  switch (part_) {
    case Part::kStream: return end_stream();
    case Part::kDirectory: return end_directory();
    case Part::kGap: return {};
  }
  return {};
}

Status RebuildingWriter::write(ByteSpan view) {
  while (!view.empty()) {
    while (left_bytes_ == 0) BDELTA_TRY(begin_part());
    const ByteSpan piece = view.first(static_cast<std::size_t>(std::min<std::uint64_t>(view.size(), left_bytes_)));
    BDELTA_TRY(put_piece(piece));
    view_pos_ += piece.size();
    left_bytes_ -= piece.size();
    view = view.subspan(piece.size());
    if (left_bytes_ == 0) BDELTA_TRY(end_part());
  }
  return {};
}

Status RebuildingWriter::finish() {
  while (left_bytes_ == 0 && (index_ < target_.streams().size() || is_directory_next())) BDELTA_TRY(begin_part());
  if (index_ == target_.streams().size() && file_pos_ == target_.bytes) return {};
  return Error{ErrorCode::kPatchCorrupt, "it gives less than NEW has; fetch the patch again", file_pos_};
}

}  // namespace bdelta::view
