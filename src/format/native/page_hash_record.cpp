#include "format/native/page_hash_record.hpp"

#include "base/byte_cursor.hpp"
#include "base/try.hpp"
#include "format/native/record_body.hpp"

namespace bdelta::native {
namespace {

constexpr const char* kPageHashRecord = "the record of page digests";
constexpr std::uint64_t kSha256 = 0;  // the digest of the pages; another number is refused
constexpr std::uint64_t kLeastListBytes = 5;

// Distances are added without a check: what wraps is out of order, and check_page_hashes says so.
PageHashes read_list(ByteCursor& from, std::uint64_t end_before) {
  PageHashes list;
  list.page_log = from.u8();
  list.data_pos = end_before + from.varint();
  list.data_bytes = from.varint();
  list.list_pos = list.data_end() + from.varint();
  return list;
}

}  // namespace

Bytes encode_page_hashes(const PageHashLists& lists) {
  Bytes body;
  append_varint(body, lists.size());
  std::uint64_t end_before = 0;
  for (const PageHashes& list : lists) {
    append_varint(body, kSha256);
    body.push_back(static_cast<std::uint8_t>(list.page_log));
    append_varint(body, list.data_pos - end_before);
    append_varint(body, list.data_bytes);
    append_varint(body, list.list_pos - list.data_end());
    end_before = list.list_end();
  }
  return record_of_body(RecordTag::kPageHashes, body);
}

Result<PageHashLists> read_page_hashes(io::TypedReader& patch, const Header& header) {
  const auto corrupt = [&](const char* what) { return corrupt_record(patch, kPageHashRecord, what); };
  BDELTA_ASSIGN(const Bytes body, read_record_body(patch, kPageHashRecord, kMaxPageHashRecordBytes));
  ByteCursor from(body);
  const std::uint64_t count = from.varint();
  if (count == 0 || count > body.size() / kLeastListBytes) return corrupt("has an impossible count");
  PageHashLists lists;
  std::uint64_t end_before = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t digest = from.varint();
    if (from.ok() && digest != kSha256) return unknown_number(patch, "page digest", digest);
    const PageHashes list = read_list(from, end_before);
    if (!from.ok()) return corrupt("ends inside a field");
    if (list.page_log > PageHashes::kMaxPageLog) return corrupt("has pages of an impossible size");
    lists.push_back(list);
    end_before = list.list_end();
  }
  if (from.available() != 0) return corrupt("goes on behind its last field");
  BDELTA_TRY(check_page_hashes(lists, header.target_size));
  if (list_bytes_of(lists) > header.decoder_memory_bytes) {
    return corrupt("needs more memory than the header declares");
  }
  return lists;
}

}  // namespace bdelta::native
