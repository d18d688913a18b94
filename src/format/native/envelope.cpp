#include "format/native/envelope.hpp"

#include <algorithm>

#include "base/byte_cursor.hpp"
#include "base/try.hpp"
#include "hash/xxh3.hpp"

namespace bdelta::native {

namespace {

// Gives the pieces of a whole record to `take`, each once it is proven.
template <class Take>
Status each_piece(ByteSpan record, PieceNumbers& numbers, Take take) {
  const std::optional<RecordHead> head = parse_record_head(record);
  if (!head || head->body_bytes > kMaxRecordBytes || head->bytes() != record.size()) {
    return Error{ErrorCode::kPatchCorrupt, "a record declares an impossible length; fetch the patch again"};
  }
  const ByteSpan head_bytes = record.first(static_cast<std::size_t>(head->head_bytes));
  ByteSpan rest = record.subspan(head_bytes.size());
  Bytes checked;
  while (!rest.empty()) {
    const ByteSpan piece = rest.first(std::min<std::size_t>(rest.size() - kCheckBytes, kPieceBytes));
    checked.assign(head_bytes.begin(), head_bytes.end());
    append_le(checked, numbers.next(head->tag));
    append(checked, piece);
    if (check_of_piece(checked) != load_le<std::uint32_t>(piece.data() + piece.size())) {
      return Error{ErrorCode::kPatchCorrupt, "the checksum of a record does not fit; fetch the patch again"};
    }
    take(piece);
    rest = rest.subspan(piece.size() + kCheckBytes);
  }
  return {};
}

}  // namespace

std::uint64_t most_body_bytes(std::uint8_t tag, const Header& header) noexcept {
  switch (static_cast<RecordTag>(tag)) {
    case RecordTag::kGroup:
    case RecordTag::kCovers: return std::min(header.group_bytes, kMaxRecordBytes);
    case RecordTag::kFills: return kMaxFillRecordBytes;
    case RecordTag::kMovedNumbers: return kMaxMovedNumberRecordBytes;
    case RecordTag::kSubstitutions: return kMaxSubstitutionRecordBytes;
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

std::uint32_t check_of_piece(ByteSpan head_number_and_piece) noexcept { return xxh3_32(head_number_and_piece); }

Bytes seal_record(RecordTag tag, ByteSpan body, PieceNumbers& numbers) {
  const Bytes head = encode_record_head(tag, body.size());
  Bytes record = head;
  for (std::uint64_t left = piece_count(body.size()); left > 0; --left) {
    const ByteSpan piece = body.first(std::min<std::size_t>(body.size(), kPieceBytes));
    Bytes checked = head;
    append_le(checked, numbers.next(static_cast<std::uint8_t>(tag)));
    append(checked, piece);
    append(record, piece);
    append_le(record, check_of_piece(checked));
    body = body.subspan(piece.size());
  }
  return record;
}

Bytes seal_record(RecordTag tag, ByteSpan body) {
  PieceNumbers numbers;
  return seal_record(tag, body, numbers);
}

Status check_record(ByteSpan record, PieceNumbers& numbers) {
  return each_piece(record, numbers, [](ByteSpan) {});
}

Result<Bytes> open_record(ByteSpan record, PieceNumbers& numbers) {
  Bytes body;
  BDELTA_TRY(each_piece(record, numbers, [&body](ByteSpan piece) { append(body, piece); }));
  return body;
}

Result<Bytes> open_record(ByteSpan record) {
  PieceNumbers numbers;
  return open_record(record, numbers);
}

}  // namespace bdelta::native
