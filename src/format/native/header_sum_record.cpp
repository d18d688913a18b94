#include "format/native/header_sum_record.hpp"

#include "base/byte_cursor.hpp"
#include "base/try.hpp"
#include "format/native/record_body.hpp"

namespace bdelta::native {
namespace {

constexpr const char* kHeaderSumRecord = "the record of header sums";
constexpr std::uint64_t kLeastSpanBytes = 3;  // form, gap, count

}  // namespace

Bytes encode_header_sums(const HeaderSumSpans& spans) {
  Bytes body;
  append_varint(body, spans.size());
  std::uint64_t end_before = 0;
  for (const HeaderSumSpan& span : spans) {
    body.push_back(static_cast<std::uint8_t>(span.form));
    append_varint(body, span.first_block - end_before);
    append_varint(body, span.block_count);
    end_before = span.first_block + span.block_count;
  }
  return record_of_body(RecordTag::kHeaderSums, body);
}

Result<HeaderSumSpans> read_header_sums(io::TypedReader& patch, const Header& header) {
  const auto corrupt = [&](const char* what) { return corrupt_record(patch, kHeaderSumRecord, what); };
  BDELTA_ASSIGN(const Bytes body, read_record_body(patch, kHeaderSumRecord, kMaxHeaderSumRecordBytes));
  ByteCursor from(body);
  const std::uint64_t count = from.varint();
  if (count == 0 || count > body.size() / kLeastSpanBytes) return corrupt("has an impossible count");
  HeaderSumSpans spans;
  spans.reserve(static_cast<std::size_t>(count));
  std::uint64_t end_before = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const unsigned form = from.u8();
    // Added without a check: what wraps is out of order, and check_header_sums says so.
    const HeaderSumSpan span{static_cast<HeaderSumForm>(form), end_before + from.varint(), from.varint()};
    if (!from.ok()) return corrupt("ends inside a field");
    if (form >= kHeaderSumForms) return unknown_number(patch, "form of header sums", form);
    spans.push_back(span);
    end_before = span.first_block + span.block_count;
  }
  if (from.available() != 0) return corrupt("goes on behind its last field");
  BDELTA_TRY(check_header_sums(spans, header.target_size));
  return spans;
}

}  // namespace bdelta::native
