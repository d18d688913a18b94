#include "format/native/header_sum_record.hpp"

#include <string>

#include "base/byte_cursor.hpp"
#include "base/try.hpp"

namespace bdelta::native {
namespace {

constexpr std::uint64_t kLeastSpanBytes = 3;  // form, gap, count

Error bad_sums(const char* what, std::uint64_t position) {
  return {ErrorCode::kPatchCorrupt, std::string("the record of header sums ") + what + "; fetch the patch again", position};
}

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
  Bytes record{static_cast<std::uint8_t>(RecordTag::kHeaderSums)};
  append_varint(record, body.size());
  append(record, body);
  return record;
}

Result<HeaderSumSpans> read_header_sums(io::TypedReader& patch, const Header& header) {
  const std::uint64_t length = patch.varint();
  BDELTA_TRY(patch.status());
  if (length > kMaxHeaderSumRecordBytes) return bad_sums("is larger than it may be", patch.position());
  Bytes body(static_cast<std::size_t>(length));
  if (!patch.read_exact(body)) return patch.status().error();
  ByteCursor from(body);
  const std::uint64_t count = from.varint();
  if (count == 0 || count > length / kLeastSpanBytes) return bad_sums("has an impossible count", patch.position());
  HeaderSumSpans spans;
  spans.reserve(static_cast<std::size_t>(count));
  std::uint64_t end_before = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const unsigned form = from.u8();
    // Added without a check: what wraps is out of order, and check_header_sums says so.
    const HeaderSumSpan span{static_cast<HeaderSumForm>(form), end_before + from.varint(), from.varint()};
    if (!from.ok()) return bad_sums("ends inside a field", patch.position());
    if (form >= kHeaderSumForms) {
      return Error{ErrorCode::kUnsupportedFeature,
                   "form " + std::to_string(form) + " of header sums is not known; a newer bpatch may know it",
                   patch.position()};
    }
    spans.push_back(span);
    end_before = span.first_block + span.block_count;
  }
  if (from.available() != 0) return bad_sums("goes on behind its last field", patch.position());
  BDELTA_TRY(check_header_sums(spans, header.target_size));
  return spans;
}

}  // namespace bdelta::native
