#include "format/native/framing.hpp"

#include <algorithm>
#include <string>

#include "base/byte_cursor.hpp"
#include "base/memory_limit.hpp"
#include "format/native/envelope.hpp"

namespace bdelta::native {
namespace {

constexpr std::size_t kChecksumBytes = 4;

Measure whole(std::uint64_t bytes) { return {.whole = true, .bytes = bytes}; }
Measure at_least(std::uint64_t bytes) { return {.bytes = bytes}; }

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
  const ByteSpan list = bytes.subspan(static_cast<std::size_t>(header_bytes));
  if (list.empty()) return at_least(header_bytes + 1);
  if (list[0] != static_cast<std::uint8_t>(RecordTag::kDigests)) return whole(header_bytes);
  const Measure found = measure_record(list, limit_bytes_);
  return {.whole = found.whole, .bytes = header_bytes + found.bytes};
}

// For a body that may be no longer. One that is has its record's head measured alone.
Measure RecordFramer::measure_record(ByteSpan bytes, std::uint64_t most_bytes) const {
  const std::optional<RecordHead> head = parse_record_head(bytes);
  if (!head) return unread(bytes, 1 + kMaxVarintBytes);
  if (head->body_bytes > most_bytes) return whole(head->head_bytes);
  Measure found = whole(head->bytes());
  found.passed_over = !is_known(head->tag);
  found.last = head->tag == static_cast<std::uint8_t>(RecordTag::kEnd);
  if (head->tag == static_cast<std::uint8_t>(RecordTag::kGroup) && bytes.size() >= found.bytes) {
    ByteCursor body(bytes.subspan(static_cast<std::size_t>(head->head_bytes)));
    found.target_bytes = body.varint();
  }
  return found;
}

Result<Measure> RecordFramer::measure(ByteSpan bytes) {
  if (bytes.empty()) return at_least(1);
  Measure found;
  if (!has_head_) {
    found = measure_head(bytes);
  } else if (!is_known(bytes[0]) && !may_be_skipped(bytes[0])) {
    found = whole(1);
  } else {
    found = measure_record(bytes, most_body_bytes(bytes[0], header_));
  }
  if (found.bytes > limit_bytes_ && found.bytes > bytes.size()) {
    return beyond_memory_limit("a part of the patch has at least " + std::to_string(found.bytes) + " bytes, which have to be held",
                               limit_bytes_, found.bytes);
  }
  return found;
}

Status RecordFramer::advance(ByteSpan record) {
  if (has_head_) return !is_known(record[0]) && may_be_skipped(record[0]) ? check_record(record, numbers_) : Status();
  accept_head(record);
  has_head_ = true;
  return {};
}

void RecordFramer::accept_head(ByteSpan head) {
  const std::size_t header_bytes = header_bytes_of(head);
  ByteCursor cursor(head);
  std::uint64_t length = 0;
  (void)read_length(cursor, length);
  if (const Result<Header> header = decode_header_fields(cursor.bytes(length))) header_ = *header;
  limit_bytes_ -= std::min(limit_bytes_, header_.decoder_memory_bytes);
  if (head.size() <= header_bytes) return;
  const Result<Bytes> list = open_record(head.subspan(header_bytes));  // the reader has proven it
  if (!list) return;
  for (std::size_t pos = 0; pos + sizeof(Sha256Digest) <= list->size(); pos += sizeof(Sha256Digest)) {
    std::copy_n(list->begin() + static_cast<std::ptrdiff_t>(pos), sizeof(Sha256Digest), digests_.emplace_back().begin());
  }
}

std::unique_ptr<PartFramer> make_framer(std::uint64_t limit_bytes) { return std::make_unique<RecordFramer>(limit_bytes); }

}  // namespace bdelta::native
