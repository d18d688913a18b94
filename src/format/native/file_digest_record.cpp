#include "format/native/file_digest_record.hpp"

#include <algorithm>

#include "base/byte_cursor.hpp"
#include "base/try.hpp"
#include "format/native/record_body.hpp"

namespace bdelta::native {
namespace {

constexpr const char* kFileDigestRecord = "the record of file digests";
constexpr std::uint64_t kSha256Base64 = 0;  // the kind of the digests; another number is refused
constexpr unsigned kMaxUnitLog = 16;
constexpr std::uint64_t kLeastDigestBytes = 3;

// What a place is counted from: files of archives begin at multiples of a unit. Wraps only beyond every target.
std::uint64_t rounded_up(std::uint64_t pos, unsigned unit_log) noexcept {
  const std::uint64_t unit = std::uint64_t{1} << unit_log;
  return (pos + unit - 1) & ~(unit - 1);
}

// The largest unit that all data begin at a multiple of.
unsigned unit_log_of(const FileDigests& digests) noexcept {
  unsigned unit_log = kMaxUnitLog;
  for (const FileDigest& digest : digests) {
    while ((digest.data_pos & ((std::uint64_t{1} << unit_log) - 1)) != 0) --unit_log;
  }
  return unit_log;
}

// The places that an entry is counted from.
struct Before {
  std::uint64_t data_end = 0;
  std::uint64_t text_end = 0;
};

// False for what can't be a place of the target. Whether entries have an order, check_file_digests says.
bool read_digest(ByteCursor& from, unsigned unit_log, std::uint64_t target_size, const Before& before, FileDigest& digest) {
  const std::uint64_t begin = rounded_up(before.data_end, unit_log);
  const std::uint64_t gap_units = from.varint();
  digest.data_bytes = from.varint();
  const std::int64_t step = from.svarint();
  if (begin < before.data_end || begin > target_size || gap_units > (target_size - begin) >> unit_log) return false;
  digest.data_pos = begin + (gap_units << unit_log);
  const std::uint64_t distance = step < 0 ? ~static_cast<std::uint64_t>(step) + 1 : static_cast<std::uint64_t>(step);
  if (distance > (step < 0 ? before.text_end : target_size - before.text_end)) return false;
  digest.text_pos = step < 0 ? before.text_end - distance : before.text_end + distance;
  return digest.data_bytes <= target_size - digest.data_pos && digest.text_pos <= target_size &&
         FileDigest::kTextBytes <= target_size - digest.text_pos;
}

}  // namespace

Bytes encode_file_digests(const FileDigests& digests) {
  const unsigned unit_log = unit_log_of(digests);
  Bytes body;
  append_varint(body, kSha256Base64);
  append_varint(body, unit_log);
  append_varint(body, digests.size());
  Before before;
  for (const FileDigest& digest : digests) {
    append_varint(body, (digest.data_pos - rounded_up(before.data_end, unit_log)) >> unit_log);
    append_varint(body, digest.data_bytes);
    append_varint(body, zigzag(static_cast<std::int64_t>(digest.text_pos - before.text_end)));
    before = {digest.data_end(), digest.text_end()};
  }
  return record_of_body(RecordTag::kFileDigests, body);
}

Result<FileDigests> read_file_digests(io::TypedReader& patch, const Header& header) {
  const auto corrupt = [&](const char* what) { return corrupt_record(patch, kFileDigestRecord, what); };
  BDELTA_ASSIGN(const Bytes body, read_record_body(patch, kFileDigestRecord, kMaxFileDigestRecordBytes));
  ByteCursor from(body);
  const std::uint64_t kind = from.varint();
  if (from.ok() && kind != kSha256Base64) return unknown_number(patch, "kind of file digests", kind);
  const std::uint64_t unit_log = from.varint();
  if (unit_log > kMaxUnitLog) return corrupt("has an impossible unit");
  const std::uint64_t count = from.varint();
  if (count == 0 || count > body.size() / kLeastDigestBytes) return corrupt("has an impossible count");
  if (count > header.decoder_memory_bytes / FileDigest::kHeldBytes) {
    return corrupt("needs more memory than the header declares");
  }
  FileDigests digests(static_cast<std::size_t>(count));
  Before before;
  for (FileDigest& digest : digests) {
    const bool is_place = read_digest(from, static_cast<unsigned>(unit_log), header.target_size, before, digest);
    if (!from.ok()) return corrupt("ends inside a field");
    if (!is_place) return corrupt("has a place that is none of NEW");
    before = {digest.data_end(), digest.text_end()};
  }
  if (from.available() != 0) return corrupt("goes on behind its last field");
  BDELTA_TRY(check_file_digests(digests, header.target_size));
  return digests;
}

}  // namespace bdelta::native
