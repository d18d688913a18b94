#include "format/native/moved_number_record.hpp"

#include "base/byte_cursor.hpp"
#include "base/try.hpp"
#include "format/native/envelope.hpp"
#include "format/native/record_body.hpp"

namespace bdelta::native {
namespace {

constexpr const char* kMovedNumberRecord = "the record of moved numbers";
constexpr std::uint64_t kBtf = 0;  // the kind of the lists; another number is refused
constexpr std::uint64_t kLeastThresholdBytes = 2;

void append_thresholds(Bytes& body, const Thresholds& thresholds) {
  append_varint(body, thresholds.size());
  Threshold before;
  for (const Threshold& threshold : thresholds) {
    append_varint(body, threshold.begin - before.begin);
    append_varint(body, zigzag(static_cast<std::int32_t>(threshold.move - before.move)));
    before = threshold;
  }
}

// Added without a check: what wraps is out of order, and check_moved_numbers says so. False if fields are impossible.
bool read_thresholds(ByteCursor& from, Thresholds& thresholds) {
  const std::uint64_t count = from.varint();
  if (count > from.available() / kLeastThresholdBytes) return false;
  thresholds.reserve(static_cast<std::size_t>(count));
  Threshold threshold;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t gap = from.varint();
    const std::int64_t change = from.svarint();
    if (gap > ~std::uint32_t{0} || change != static_cast<std::int32_t>(change)) return false;
    threshold.begin += static_cast<std::uint32_t>(gap);
    threshold.move += static_cast<std::uint32_t>(change);
    thresholds.push_back(threshold);
  }
  return true;
}

void append_thresholds(Bytes& body, const ThresholdPair& thresholds) {
  append_thresholds(body, thresholds.types);
  append_thresholds(body, thresholds.strings);
}

bool read_thresholds(ByteCursor& from, ThresholdPair& both) {
  return read_thresholds(from, both.types) && read_thresholds(from, both.strings);
}

}  // namespace

Bytes encode_moved_numbers(const MovedNumbers& numbers) {
  Bytes body;
  append_varint(body, kBtf);
  append_varint(body, numbers.type_bytes);
  append_varint(body, numbers.lists.size());
  std::uint64_t before = 0;
  for (const NumberList& list : numbers.lists) {
    const bool has_own = list.own.count() != 0;
    append_varint(body, (list.header_pos - before) << 1 | static_cast<unsigned>(has_own));
    if (has_own) append_thresholds(body, list.own);
    before = list.header_pos;
  }
  append_thresholds(body, numbers.common);
  return seal_record(RecordTag::kMovedNumbers, body);
}

Result<MovedNumbers> read_moved_numbers(io::TypedReader& patch, const Header& header) {
  const auto corrupt = [&](const char* what) { return corrupt_record(patch, kMovedNumberRecord, what); };
  BDELTA_ASSIGN(const Bytes body, read_record_body(patch, kMovedNumberRecord, kMaxMovedNumberRecordBytes));
  ByteCursor from(body);
  const std::uint64_t kind = from.varint();
  if (from.ok() && kind != kBtf) return unknown_number(patch, "kind of lists of numbers", kind);
  MovedNumbers numbers;
  numbers.type_bytes = from.varint();
  const std::uint64_t count = from.varint();
  if (count > kMostNumberLists || count > from.available()) return corrupt("has an impossible count");
  numbers.lists.resize(static_cast<std::size_t>(count));
  std::uint64_t before = 0;
  for (NumberList& list : numbers.lists) {
    const std::uint64_t gap = from.varint();
    list.header_pos = before += gap >> 1;
    if ((gap & 1) != 0 && (!read_thresholds(from, list.own) || list.own.count() == 0)) {
      return corrupt("has impossible thresholds");
    }
  }
  if (!read_thresholds(from, numbers.common)) return corrupt("has impossible thresholds");
  if (!from.ok()) return corrupt("ends inside a field");
  if (from.available() != 0) return corrupt("goes on behind its last field");
  BDELTA_TRY(check_moved_numbers(numbers, header.source_size));
  const std::uint64_t memory_bytes = header.decoder_memory_bytes;
  if (numbers.type_bytes > memory_bytes || numbers.held_bytes() > memory_bytes) {
    return corrupt("needs more memory than the header declares");
  }
  return numbers;
}

}  // namespace bdelta::native
