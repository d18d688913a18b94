// The envelope that each record of a version 2 patch stands in: tag, length, and the body in pieces, each with a checksum
// behind it. FORMAT.md, "Records".
//
// A piece is proven before anything in it is decoded, and whoever reads holds no more than one of them.
#pragma once

#include <array>
#include <optional>

#include "base/bytes.hpp"
#include "format/native/layout.hpp"

namespace bdelta::native {

inline constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;  // of a body, the last piece may be shorter
inline constexpr std::uint64_t kCheckBytes = 4;                       // Check32 of tag, length, number and the piece

// Numbers pieces, so that none can take the place of another: each by how many there are in front of it in records of
// its tag.
class PieceNumbers {
 public:
  std::uint32_t next(std::uint8_t tag) noexcept { return next_[tag]++; }

 private:
  std::array<std::uint32_t, 256> next_{};  // modulo 2^32
};

// A reader passes over records with such a tag if it does not know them.
[[nodiscard]] constexpr bool may_be_skipped(std::uint8_t tag) noexcept { return (tag & 1) != 0; }

[[nodiscard]] constexpr bool is_known(std::uint8_t tag) noexcept {
  switch (static_cast<RecordTag>(tag)) {
    case RecordTag::kEnd:
    case RecordTag::kDigests:
    case RecordTag::kView:
    case RecordTag::kTree:
    case RecordTag::kFills:
    case RecordTag::kMovedNumbers:
    case RecordTag::kSubstitutions:
    case RecordTag::kGlobal:
    case RecordTag::kCovers:
    case RecordTag::kGroup: return true;
  }
  return false;
}

// What records are ordered by. Views are of the streams that trees have.
[[nodiscard]] constexpr unsigned place_of(RecordTag tag) noexcept {
  return tag == RecordTag::kTree ? 2 * static_cast<unsigned>(RecordTag::kView) - 1 : 2 * static_cast<unsigned>(tag);
}

// Whether a record may stand behind one with the tag `last`; kEnd, where that is none.
[[nodiscard]] constexpr bool may_follow(RecordTag tag, RecordTag last) noexcept {
  return tag == RecordTag::kEnd || place_of(tag) > place_of(last) || (tag == last && (tag == RecordTag::kCovers || tag == RecordTag::kGroup));
}

// Pieces of a body; an empty one is a piece, too.
[[nodiscard]] constexpr std::uint64_t piece_count(std::uint64_t body_bytes) noexcept {
  return body_bytes == 0 ? 1 : (body_bytes - 1) / kPieceBytes + 1;
}

// The longest body that a record with this tag may have in a patch with this header.
[[nodiscard]] std::uint64_t most_body_bytes(std::uint8_t tag, const Header& header) noexcept;

// What stands in front of a body.
struct RecordHead {
  std::uint8_t tag = 0;
  std::uint64_t body_bytes = 0;
  std::uint64_t head_bytes = 0;

  // Of all of the record, whose body has at most kMaxRecordBytes.
  [[nodiscard]] std::uint64_t bytes() const noexcept {
    return tag == static_cast<std::uint8_t>(RecordTag::kEnd) ? 1 : head_bytes + body_bytes + piece_count(body_bytes) * kCheckBytes;
  }
};

// The head of the record that `bytes` begin with; nothing if more bytes are needed, or if the length is none.
[[nodiscard]] std::optional<RecordHead> parse_record_head(ByteSpan bytes) noexcept;

// Tag and length.
[[nodiscard]] Bytes encode_record_head(RecordTag tag, std::uint64_t body_bytes);

// The checksum that stands behind a piece: of the record's head, the piece's number as u32, and the piece, joined.
[[nodiscard]] std::uint32_t check_of_piece(ByteSpan head_number_and_piece) noexcept;

// A whole record, behind others that `numbers` were given to; the first of its tag, where nothing is said. The end
// record has an envelope of its own and is not made here.
[[nodiscard]] Bytes seal_record(RecordTag tag, ByteSpan body, PieceNumbers& numbers);
[[nodiscard]] Bytes seal_record(RecordTag tag, ByteSpan body);

// Of a whole record that is not the end, likewise: kPatchCorrupt if its length or a checksum does not fit. The other
// gives the body, joined.
Status check_record(ByteSpan record, PieceNumbers& numbers);
Result<Bytes> open_record(ByteSpan record, PieceNumbers& numbers);
Result<Bytes> open_record(ByteSpan record);

}  // namespace bdelta::native
