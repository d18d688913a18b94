// What stands behind the header of a version 2 patch, taken apart and put together again.
#pragma once

#include <algorithm>
#include <vector>

#include "base/varint.hpp"
#include "format/native/envelope.hpp"

namespace bdelta::test {

// With checksums that fit, as far as there are whole records.
inline Bytes resealed(ByteSpan records) {
  Bytes sealed(records.begin(), records.end());
  native::PieceNumbers numbers;
  for (std::size_t pos = 0; pos < sealed.size();) {
    const auto head = native::parse_record_head(ByteSpan(sealed).subspan(pos));
    if (!head || head->body_bytes > sealed.size() || head->bytes() > sealed.size() - pos) break;
    std::size_t at = pos + static_cast<std::size_t>(head->head_bytes);
    for (std::uint64_t left = head->body_bytes, pieces = native::piece_count(left); pieces > 0 && head->tag != 0; --pieces) {
      const auto size = static_cast<std::size_t>(std::min(left, native::kPieceBytes));
      Bytes checked(sealed.begin() + static_cast<std::ptrdiff_t>(pos),
                    sealed.begin() + static_cast<std::ptrdiff_t>(pos + head->head_bytes));
      append_le(checked, numbers.next(head->tag));
      append(checked, ByteSpan(sealed).subspan(at, size));
      store_le(sealed.data() + at + size, native::check_of_piece(checked));
      at += size + native::kCheckBytes;
      left -= size;
    }
    pos += static_cast<std::size_t>(head->bytes());
  }
  return sealed;
}

struct CraftedRecord {
  native::RecordTag tag;
  Bytes body;
};

// As far as there are whole records that are not damaged.
inline std::vector<CraftedRecord> records_of(ByteSpan records) {
  std::vector<CraftedRecord> found;
  native::PieceNumbers numbers;
  while (!records.empty()) {
    const auto head = native::parse_record_head(records);
    if (!head || head->bytes() > records.size()) break;
    const ByteSpan record = records.first(static_cast<std::size_t>(head->bytes()));
    Result<Bytes> body = head->tag == 0 ? Result<Bytes>(Bytes()) : native::open_record(record, numbers);
    if (!body) break;
    found.push_back({static_cast<native::RecordTag>(head->tag), std::move(*body)});
    records = records.subspan(record.size());
  }
  return found;
}

inline Bytes joined(const std::vector<CraftedRecord>& records) {
  Bytes bytes;
  native::PieceNumbers numbers;
  for (const CraftedRecord& record : records) {
    if (record.tag == native::RecordTag::kEnd) {
      bytes.push_back(0);
    } else {
      append(bytes, native::seal_record(record.tag, record.body, numbers));
    }
  }
  return bytes;
}

}  // namespace bdelta::test
