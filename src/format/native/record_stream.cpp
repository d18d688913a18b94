#include "format/native/record_stream.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/try.hpp"
#include "base/varint.hpp"

namespace bdelta::native {
namespace {

constexpr std::size_t kNumberBytes = 4;

}  // namespace

Result<RecordTag> RecordStream::open() {
  for (;;) {
    BDELTA_ASSIGN(const std::uint8_t tag, open_any());
    if (is_known(tag)) return static_cast<RecordTag>(tag);
    BDELTA_TRY(skip());
  }
}

Result<std::uint8_t> RecordStream::open_any() {
  const std::uint8_t tag = patch_.u8();
  BDELTA_TRY(patch_.status());
  if (!is_known(tag) && !may_be_skipped(tag)) {
    return Error{ErrorCode::kUnsupportedFeature, "record tag " + std::to_string(tag) + "; a newer bpatch may know it",
                 patch_.position() - 1};
  }
  const bool is_end = tag == static_cast<std::uint8_t>(RecordTag::kEnd);
  piece_.assign(1, tag);
  unread_bytes_ = body_bytes_ = is_end ? 0 : patch_.varint();
  BDELTA_TRY(patch_.status());
  body_pos_ = patch_.position();
  if (!is_end) append_varint(piece_, body_bytes_);
  if (tap_) tap_->update(piece_);
  piece_.resize(piece_.size() + kNumberBytes);
  head_bytes_ = given_end_ = piece_.size();
  if (body_bytes_ > most_body_bytes(tag, header_)) {
    return Error{ErrorCode::kPatchCorrupt, "a record is larger than it may be; fetch the patch again", body_pos_};
  }
  if (!is_end && body_bytes_ == 0) BDELTA_TRY(read_piece());
  return tag;
}

Status RecordStream::read_piece() {
  const auto size = static_cast<std::size_t>(std::min(unread_bytes_, kPieceBytes));
  piece_.resize(head_bytes_ + size);
  const std::uint64_t pos = patch_.position();
  if (!patch_.read_exact(MutableByteSpan(piece_).subspan(head_bytes_))) return patch_.status();
  store_le(piece_.data() + head_bytes_ - kNumberBytes, numbers_.next(piece_[0]));
  const auto check = patch_.le<std::uint32_t>();
  BDELTA_TRY(patch_.status());
  if (check != check_of_piece(piece_)) {
    return Error{ErrorCode::kPatchCorrupt, "the checksum of a record does not fit; fetch the patch again", pos};
  }
  if (tap_) {
    tap_->update(ByteSpan(piece_).subspan(head_bytes_));
    Bytes bytes;
    append_le(bytes, check);
    tap_->update(bytes);
  }
  given_end_ = head_bytes_;
  unread_bytes_ -= size;
  return {};
}

Status RecordStream::skip() {
  while (unread_bytes_ > 0) BDELTA_TRY(read_piece());
  return {};
}

Result<std::size_t> RecordStream::read(MutableByteSpan out) {
  std::size_t count = 0;
  while (count < out.size()) {
    if (given_end_ == piece_.size()) {
      if (unread_bytes_ == 0) break;
      BDELTA_TRY(read_piece());
    }
    const std::size_t some = std::min(out.size() - count, piece_.size() - given_end_);
    std::memcpy(out.data() + count, piece_.data() + given_end_, some);
    given_end_ += some;
    count += some;
  }
  return count;
}

}  // namespace bdelta::native
