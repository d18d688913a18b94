// Neighbours by their bytes differ little, so substitutions of one importance stand in that order: a column of steps,
// which are small, and one of changes. Ranks are their order, whence a new run begins where the bytes go down.
#include "base/try.hpp"
#include "base/varint.hpp"
#include "format/native/raw_frames.hpp"
#include "format/native/envelope.hpp"
#include "format/native/substitution_record.hpp"

namespace bdelta::native {
namespace {

// Of each run of ascending substitutions.
std::vector<std::uint64_t> run_counts(const SubstitutionTable& substitutions) {
  std::vector<std::uint64_t> counts;
  std::uint32_t before = 0;
  for (const Substitution& change : substitutions.changes()) {
    const std::uint32_t key = pattern_key(change.from);
    if (counts.empty() || key <= before) counts.push_back(0);
    ++counts.back();
    before = key;
  }
  return counts;
}

Bytes columns(const SubstitutionTable& substitutions, const std::vector<std::uint64_t>& counts) {
  Bytes raw;
  std::size_t pattern = 0;
  for (const std::uint64_t count : counts) {
    std::uint32_t before = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint32_t key = pattern_key(substitutions.changes()[pattern++].from);
      append_varint(raw, key - before);
      before = key;
    }
  }
  for (const Substitution& change : substitutions.changes()) {
    for (unsigned i = 0; i < kPatternBytes; ++i) {
      raw.push_back(static_cast<std::uint8_t>((change.to >> 8 * i) - (change.from >> 8 * i)));
    }
  }
  return raw;
}

void append_spans(Bytes& body, const std::vector<SubstitutionSpan>& spans) {
  if (spans.empty()) return;
  append_varint(body, spans.size());
  std::uint64_t end_before = 0;
  for (const SubstitutionSpan& span : spans) {
    append_varint(body, (span.begin - end_before) / SubstitutionTable::kSpanUnitBytes);
    append_varint(body, (span.end - span.begin) / SubstitutionTable::kSpanUnitBytes);
    end_before = span.end;
  }
}

}  // namespace

Result<CodedSubstitutions> encode_substitutions(SubstitutionTable substitutions, const CodecSettings& codec) {
  const std::vector<std::uint64_t> counts = run_counts(substitutions);
  const Bytes raw = columns(substitutions, counts);
  Bytes body;
  append_varint(body, counts.size());
  for (const std::uint64_t count : counts) append_varint(body, count);
  append_varint(body, raw.size());
  BDELTA_TRY(append_frames(body, raw, codec));
  append_spans(body, substitutions.spans());
  Bytes record = seal_record(RecordTag::kSubstitutions, body);
  // Coded and decoded bytes of the record; the former are no more than the latter, a little, and two varints a span.
  const std::uint64_t memory_bytes = substitutions.memory_bytes() + 2 * raw.size() +
                                     2 * kMaxVarintBytes * substitutions.spans().size() +
                                     frame_decoder_bytes(raw.size(), codec);
  return CodedSubstitutions{std::move(substitutions), std::move(record), memory_bytes};
}

}  // namespace bdelta::native
