#include "format/native/moved_number_record.hpp"

#include "base/byte_cursor.hpp"
#include "base/try.hpp"
#include "format/native/envelope.hpp"
#include "format/native/record_body.hpp"

namespace bdelta::native {
namespace {

constexpr const char* kMovedNumberRecord = "the record of moved numbers";
constexpr std::uint64_t kBtf = 0;  // the kind of the lists; another number is refused
constexpr std::uint64_t kLeastStepBytes = 2;

void append_steps(Bytes& body, const NumberSteps& steps) {
  append_varint(body, steps.size());
  NumberStep before;
  for (const NumberStep& step : steps) {
    append_varint(body, step.begin - before.begin);
    append_varint(body, zigzag(static_cast<std::int32_t>(step.move - before.move)));
    before = step;
  }
}

// Added without a check: what wraps is out of order, and check_moved_numbers says so. False if fields are impossible.
bool read_steps(ByteCursor& from, NumberSteps& steps) {
  const std::uint64_t count = from.varint();
  if (count > from.available() / kLeastStepBytes) return false;
  steps.reserve(static_cast<std::size_t>(count));
  NumberStep step;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t gap = from.varint();
    const std::int64_t change = from.svarint();
    if (gap > ~std::uint32_t{0} || change != static_cast<std::int32_t>(change)) return false;
    step.begin += static_cast<std::uint32_t>(gap);
    step.move += static_cast<std::uint32_t>(change);
    steps.push_back(step);
  }
  return true;
}

void append_steps(Bytes& body, const StepPair& steps) {
  append_steps(body, steps.types);
  append_steps(body, steps.strings);
}

bool read_steps(ByteCursor& from, StepPair& steps) { return read_steps(from, steps.types) && read_steps(from, steps.strings); }

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
    if (has_own) append_steps(body, list.own);
    before = list.header_pos;
  }
  append_steps(body, numbers.common);
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
    if ((gap & 1) != 0 && (!read_steps(from, list.own) || list.own.count() == 0)) return corrupt("has impossible steps");
  }
  if (!read_steps(from, numbers.common)) return corrupt("has impossible steps");
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
