#include "format/native/envelope.hpp"

#include <algorithm>

#include "base/byte_cursor.hpp"
#include "hash/xxh3.hpp"

namespace bdelta::native {

std::uint64_t most_body_bytes(std::uint8_t tag, const Header& header) noexcept {
  switch (static_cast<RecordTag>(tag)) {
    case RecordTag::kGroup:
    case RecordTag::kCovers: return std::min(header.group_bytes, kMaxRecordBytes);
    case RecordTag::kFills: return kMaxFillRecordBytes;
    case RecordTag::kMovedNumbers: return kMaxMovedNumberRecordBytes;
    case RecordTag::kWords: return kMaxWordRecordBytes;
    default: return kMaxRecordBytes;
  }
}

std::optional<RecordHead> parse_record_head(ByteSpan bytes) noexcept {
  ByteCursor cursor(bytes);
  RecordHead head;
  head.tag = cursor.u8();
  if (cursor.ok() && head.tag == static_cast<std::uint8_t>(RecordTag::kEnd)) return head;
  head.body_bytes = cursor.varint();
  if (!cursor.ok()) return std::nullopt;
  head.head_bytes = bytes.size() - cursor.available();
  return head;
}

Bytes encode_record_head(RecordTag tag, std::uint64_t body_bytes) {
  Bytes head{static_cast<std::uint8_t>(tag)};
  append_varint(head, body_bytes);
  return head;
}

std::uint32_t check_of_piece(ByteSpan head_and_piece) noexcept { return xxh3_32(head_and_piece); }

Bytes seal_record(RecordTag tag, ByteSpan body) {
  const Bytes head = encode_record_head(tag, body.size());
  Bytes record = head;
  for (std::uint64_t left = piece_count(body.size()); left > 0; --left) {
    const ByteSpan piece = body.first(std::min<std::size_t>(body.size(), kPieceBytes));
    Bytes checked = head;
    append(checked, piece);
    append(record, piece);
    append_le(record, check_of_piece(checked));
    body = body.subspan(piece.size());
  }
  return record;
}

Result<Bytes> open_record(ByteSpan record) {
  const std::optional<RecordHead> head = parse_record_head(record);
  if (!head || head->body_bytes > kMaxRecordBytes || head->bytes() != record.size()) {
    return Error{ErrorCode::kPatchCorrupt, "a record declares an impossible length; fetch the patch again"};
  }
  Bytes body;
  Bytes checked;
  std::uint64_t pos = head->head_bytes;
  for (std::uint64_t left = head->body_bytes, pieces = piece_count(left); pieces > 0; --pieces) {
    const auto size = static_cast<std::size_t>(std::min(left, kPieceBytes));
    const ByteSpan piece = record.subspan(static_cast<std::size_t>(pos), size);
    checked.assign(record.begin(), record.begin() + static_cast<std::ptrdiff_t>(head->head_bytes));
    append(checked, piece);
    if (check_of_piece(checked) != load_le<std::uint32_t>(piece.data() + size)) {
      return Error{ErrorCode::kPatchCorrupt, "the checksum of a record does not fit; fetch the patch again"};
    }
    append(body, piece);
    pos += size + kCheckBytes;
    left -= size;
  }
  return body;
}

}  // namespace bdelta::native
