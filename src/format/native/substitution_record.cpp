#include "format/native/substitution_record.hpp"

#include <algorithm>

#include "base/byte_cursor.hpp"
#include "base/try.hpp"
#include "format/native/raw_frames.hpp"
#include "format/native/record_body.hpp"
#include "io/memory_io.hpp"

namespace bdelta::native {
namespace {

constexpr const char* kSubstitutionRecord = "the record of substitutions";
constexpr std::uint64_t kMaxRuns = 64;

constexpr std::uint64_t kMaxKey = 0xffffffff;

// The substitutions' first column: false if gaps leave the keys that there are, or one is none.
bool read_keys(ByteCursor& raw, const std::vector<std::uint64_t>& counts, std::vector<Substitution>& changes) {
  for (const std::uint64_t count : counts) {
    std::uint64_t key = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t gap = raw.varint();
      if (!raw.ok() || (i > 0 && gap == 0) || gap > kMaxKey - key) return false;
      key += gap;
      changes.push_back({pattern_key(static_cast<std::uint32_t>(key)), 0});
    }
  }
  return true;
}

bool read_changes(ByteCursor& raw, std::vector<Substitution>& changes) {
  for (Substitution& change : changes) {
    for (unsigned i = 0; i < kPatternBytes; ++i) {
      const auto byte = static_cast<std::uint8_t>((change.from >> 8 * i) + raw.u8());
      change.to |= std::uint32_t{byte} << 8 * i;
    }
  }
  return raw.ok() && raw.available() == 0;
}

// Of equal patterns the table finds the first.
bool are_different(const SubstitutionTable& substitutions) {
  for (std::size_t rank = 0; rank < substitutions.changes().size(); ++rank) {
    if (substitutions.find(substitutions.changes()[rank].from) != rank) return false;
  }
  return true;
}

// The spans up to the end of the record; false if they are not ascending and apart, or begin behind the target.
bool read_spans(io::TypedReader& in, std::uint64_t target_size, std::uint64_t most_spans,
                std::vector<SubstitutionSpan>& spans) {
  const std::uint64_t unit_count = (target_size + SubstitutionTable::kSpanUnitBytes - 1) / SubstitutionTable::kSpanUnitBytes;
  const std::uint64_t count = in.varint();
  if (!in.ok() || count == 0 || count > most_spans) return false;
  std::uint64_t unit = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t gap = in.varint();
    const std::uint64_t length = in.varint();
    if (!in.ok() || (i > 0 && gap == 0) || gap > unit_count - unit) return false;
    unit += gap;
    if (length == 0 || length > unit_count - unit) return false;
    spans.push_back({unit * SubstitutionTable::kSpanUnitBytes, (unit + length) * SubstitutionTable::kSpanUnitBytes});
    unit += length;
  }
  return in.at_end();
}

struct Head {
  std::vector<std::uint64_t> counts;  // of runs, together substitution_count
  std::uint64_t substitution_count = 0;
  std::uint64_t raw_bytes = 0;
};

// False if a number is impossible. A substitution takes two bytes of the raw ones at least.
bool read_head(io::TypedReader& in, Head& head) {
  const std::uint64_t run_count = in.varint();
  if (!in.ok() || run_count == 0 || run_count > kMaxRuns) return false;
  for (std::uint64_t i = 0; i < run_count; ++i) {
    const std::uint64_t count = in.varint();
    if (!in.ok() || count == 0 || count > SubstitutionTable::kMostSubstitutions - head.substitution_count) return false;
    head.counts.push_back(count);
    head.substitution_count += count;
  }
  head.raw_bytes = in.varint();
  return in.ok() && head.raw_bytes >= head.substitution_count * (1 + kPatternBytes) &&
         head.raw_bytes <= head.substitution_count * (kMaxVarintBytes + kPatternBytes);
}

}  // namespace

Result<SubstitutionTable> read_substitutions(io::TypedReader& patch, const Header& header) {
  const auto corrupt = [&](const char* what) { return corrupt_record(patch, kSubstitutionRecord, what); };
  const std::uint64_t most_bytes = std::min(kMaxSubstitutionRecordBytes, header.decoder_memory_bytes);
  BDELTA_ASSIGN(const Bytes body, read_record_body(patch, kSubstitutionRecord, most_bytes));
  io::MemorySequentialReader body_reader(body);
  io::TypedReader in(body_reader);
  Head head;
  if (!read_head(in, head)) {
    if (Status read = in.status(); !read && read.error().code == ErrorCode::kOutOfMemory) return std::move(read).error();
    return corrupt("has impossible numbers");
  }
  const std::uint64_t held_bytes =
      SubstitutionTable::kFixedBytes + head.substitution_count * SubstitutionTable::kBytesPerSubstitution + body.size();
  if (held_bytes > header.decoder_memory_bytes) return corrupt("needs more memory than the header declares");
  Bytes raw;
  Status frames = read_frames(in, kSubstitutionRecord, head.raw_bytes, header.decoder_memory_bytes - held_bytes, raw);
  if (!frames && frames.error().code == ErrorCode::kPatchTruncated) return corrupt("ends inside a frame");
  BDELTA_TRY(std::move(frames));
  std::vector<SubstitutionSpan> spans;
  const std::uint64_t left_bytes = header.decoder_memory_bytes - held_bytes - raw.size();
  const std::uint64_t most_spans = left_bytes / SubstitutionTable::kBytesPerSpan;
  if (!in.at_end() && !read_spans(in, header.target_size, most_spans, spans)) return corrupt("has impossible spans");
  ByteCursor columns(raw);
  std::vector<Substitution> changes;
  changes.reserve(static_cast<std::size_t>(head.substitution_count));
  if (!read_keys(columns, head.counts, changes)) return corrupt("has substitutions out of order");
  if (!read_changes(columns, changes)) return corrupt("has columns of another size");
  SubstitutionTable substitutions(std::move(changes), std::move(spans));
  if (!are_different(substitutions)) return corrupt("has a pattern twice");
  return substitutions;
}

}  // namespace bdelta::native
