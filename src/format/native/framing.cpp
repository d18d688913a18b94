#include "format/native/framing.hpp"

#include <algorithm>
#include <string>

#include "base/byte_cursor.hpp"
#include "base/memory_limit.hpp"

namespace bdelta::native {
namespace {

constexpr std::size_t kChecksumBytes = 4;

Measure whole(std::uint64_t bytes, std::uint64_t target_bytes = 0) { return {true, bytes, target_bytes}; }
Measure at_least(std::uint64_t bytes) { return {false, bytes, 0}; }

std::uint64_t used(const ByteCursor& cursor, ByteSpan of) { return of.size() - cursor.available(); }

// For numbers that could not be read: more bytes help only if fewer are there than the numbers may take.
Measure unread(ByteSpan bytes, std::size_t most_bytes) {
  return bytes.size() < most_bytes ? at_least(bytes.size() + 1) : whole(bytes.size());
}

// The header's length field; false until it can be read.
bool read_length(ByteCursor& cursor, std::uint64_t& length) {
  (void)cursor.bytes(kPrefixBytes);
  length = cursor.varint();
  return cursor.ok();
}

}  // namespace

std::size_t header_bytes_of(ByteSpan head) {
  ByteCursor cursor(head);
  std::uint64_t length = 0;
  (void)read_length(cursor, length);
  return static_cast<std::size_t>(used(cursor, head) + length) + kChecksumBytes;
}

// The first bytes are known to be those of the format.
Measure RecordFramer::measure_head(ByteSpan bytes) const {
  if (bytes.size() < kPrefixBytes) return at_least(kPrefixBytes);
  if (bytes[5] != kDraft) return whole(kPrefixBytes);
  ByteCursor cursor(bytes);
  std::uint64_t length = 0;
  if (!read_length(cursor, length)) return unread(bytes, kPrefixBytes + kMaxVarintBytes);
  const std::uint64_t fields_at = used(cursor, bytes);
  if (length > kMaxHeaderBytes) return whole(fields_at);
  const std::uint64_t header_bytes = fields_at + length + kChecksumBytes;
  if (bytes.size() < header_bytes) return at_least(header_bytes);
  ByteCursor fields(bytes.subspan(static_cast<std::size_t>(fields_at), static_cast<std::size_t>(length)));
  const std::uint64_t required_features = fields.varint();
  if (!fields.ok() || (required_features & kFeatureDigests) == 0) return whole(header_bytes);

  // The list: tag, count, digests.
  const ByteSpan list = bytes.subspan(static_cast<std::size_t>(header_bytes));
  ByteCursor counts(list);
  const std::uint8_t tag = counts.u8();
  const std::uint64_t count = counts.varint();
  if (!list.empty() && tag != static_cast<std::uint8_t>(RecordTag::kDigests)) return whole(header_bytes + 1);
  if (!counts.ok()) {
    const Measure numbers = unread(list, 1 + kMaxVarintBytes);
    return {numbers.whole, header_bytes + numbers.bytes, 0};
  }
  const std::uint64_t digests_at = header_bytes + used(counts, list);
  return whole(count > limit_bytes_ / sizeof(Sha256Digest) ? digests_at : digests_at + count * sizeof(Sha256Digest));
}

Measure RecordFramer::measure_group(ByteSpan bytes) const {
  ByteCursor cursor(bytes.subspan(1));
  const GroupHead head = read_group_head(cursor);
  if (!cursor.ok()) return unread(bytes, 1 + 2 * kMaxVarintBytes);
  const std::uint64_t body_at = used(cursor, bytes);
  return whole(head.body_bytes > header_.group_bytes ? body_at : body_at + head.body_bytes, head.target_bytes);
}

// The record says how many raw bytes it has, not how many coded ones: its frames have to be walked through.
Measure RecordFramer::measure_global(ByteSpan bytes) {
  if (frame_pos_ == 0) {
    ByteCursor cursor(bytes.subspan(1));
    const GlobalHead head = read_global_head(cursor);
    if (!cursor.ok()) return unread(bytes, 1 + 4 * kMaxVarintBytes);
    if (!is_possible_global(head, header_)) return whole(used(cursor, bytes));
    frame_pos_ = used(cursor, bytes) + 1;  // behind the codec
    raw_left_ = head.image_bytes + head.label_bytes;
  }
  while (raw_left_ > 0) {
    if (bytes.size() <= frame_pos_) return at_least(frame_pos_ + 1);
    const ByteSpan rest = bytes.subspan(static_cast<std::size_t>(frame_pos_));
    ByteCursor cursor(rest);
    const GlobalFrame frame = read_global_frame(cursor);
    if (!cursor.ok()) {
      const Measure numbers = unread(rest, 2 * kMaxVarintBytes);
      return {numbers.whole, frame_pos_ + numbers.bytes, 0};
    }
    frame_pos_ += used(cursor, rest);
    if (!is_possible_frame(frame, raw_left_)) return whole(frame_pos_);
    frame_pos_ += frame.coded_bytes;
    raw_left_ -= frame.raw_bytes;
  }
  return whole(frame_pos_);
}

Measure RecordFramer::measure_by_length(ByteSpan bytes, std::uint64_t most_bytes) {
  ByteCursor cursor(bytes.subspan(1));
  const std::uint64_t length = cursor.varint();
  if (!cursor.ok()) return unread(bytes, 1 + kMaxVarintBytes);
  const std::uint64_t body_at = used(cursor, bytes);
  return whole(length > most_bytes ? body_at : body_at + length);
}

Result<Measure> RecordFramer::measure(ByteSpan bytes) {
  if (bytes.empty()) return at_least(1);
  Measure found;
  if (!has_head_) {
    found = measure_head(bytes);
  } else {
    switch (static_cast<RecordTag>(bytes[0])) {
      case RecordTag::kGroup:
      case RecordTag::kCovers: found = measure_group(bytes); break;
      case RecordTag::kGlobal: found = measure_global(bytes); break;
      case RecordTag::kFills: found = measure_by_length(bytes, kMaxFillRecordBytes); break;
      case RecordTag::kMovedNumbers: found = measure_by_length(bytes, kMaxMovedNumberRecordBytes); break;
      case RecordTag::kWords: found = measure_by_length(bytes, kMaxWordRecordBytes); break;
      default: found = whole(1); break;
    }
  }
  if (found.bytes > limit_bytes_ && found.bytes > bytes.size()) {
    return beyond_memory_limit("a part of the patch has at least " + std::to_string(found.bytes) + " bytes, which have to be held",
                               limit_bytes_, found.bytes);
  }
  return found;
}

void RecordFramer::advance(ByteSpan record) {
  if (!has_head_) accept_head(record);
  has_head_ = true;
  frame_pos_ = 0;
  raw_left_ = 0;
}

void RecordFramer::accept_head(ByteSpan head) {
  const std::size_t header_bytes = header_bytes_of(head);
  ByteCursor cursor(head);
  std::uint64_t length = 0;
  (void)read_length(cursor, length);
  if (const Result<Header> header = decode_header_fields(cursor.bytes(length))) header_ = *header;
  limit_bytes_ -= std::min(limit_bytes_, header_.decoder_memory_bytes);
  if (head.size() <= header_bytes) return;
  ByteCursor list(head.subspan(header_bytes));
  (void)list.u8();
  const std::uint64_t count = list.varint();
  for (std::uint64_t i = 0; i < count; ++i) {
    const ByteSpan bytes = list.bytes(sizeof(Sha256Digest));
    if (!list.ok()) return;
    std::copy(bytes.begin(), bytes.end(), digests_.emplace_back().begin());
  }
}

}  // namespace bdelta::native
