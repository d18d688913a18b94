#include "format/native/fill_record.hpp"

#include <array>
#include <string>

#include "base/byte_cursor.hpp"
#include "base/try.hpp"
#include "format/native/envelope.hpp"
#include "format/native/record_body.hpp"

namespace bdelta::native {
namespace {

constexpr const char* kFillRecord = "the record of fills";
constexpr unsigned kMaxUnitLog = 16;
constexpr std::uint64_t kLeastRangeBytes = 2;

// Where a range may begin at the earliest. Wraps only beyond every target.
std::uint64_t rounded_up(std::uint64_t pos, unsigned unit_log) noexcept {
  const std::uint64_t unit = std::uint64_t{1} << unit_log;
  return (pos + unit - 1) & ~(unit - 1);
}

// The largest unit that all ranges begin at a multiple of.
unsigned unit_log_of(const FillRule& rule) noexcept {
  unsigned unit_log = kMaxUnitLog;
  for (const FillRange& range : rule.ranges) {
    while ((range.pos & ((std::uint64_t{1} << unit_log) - 1)) != 0) --unit_log;
  }
  return unit_log;
}

bool is_page_log(const FillRule& rule) noexcept {
  if (rule.kind.shape != FillShape::kPages) return true;
  return rule.page_log >= FillRule::kMinPageLog && rule.page_log <= FillRule::kMaxPageLog;
}

template <class Enum>
std::uint64_t number_of(Enum value) noexcept {
  return static_cast<std::uint64_t>(value);
}

void append_rule(Bytes& body, const FillRule& rule) {
  const unsigned unit_log = unit_log_of(rule);
  append_varint(body, number_of(rule.kind.function));
  append_varint(body, number_of(rule.kind.encoding));
  append_varint(body, number_of(rule.kind.shape) << 1);
  body.push_back(static_cast<std::uint8_t>(unit_log));
  if (rule.kind.shape == FillShape::kPages) body.push_back(static_cast<std::uint8_t>(rule.page_log));
  append_varint(body, rule.ranges.size());
  std::uint64_t end = 0;
  std::uint64_t place_end = rule.ranges.front().end();
  for (const FillRange& range : rule.ranges) {
    append_varint(body, (range.pos - rounded_up(end, unit_log)) >> unit_log);
    append_varint(body, rule.has_places() ? range.bytes : range.bytes / kTarBlockBytes);
    if (rule.has_places()) append_varint(body, zigzag(static_cast<std::int64_t>(range.place_pos - place_end)));
    end = range.end();
    place_end = rule.place_end(range);
  }
}

class RecordReader {
 public:
  RecordReader(io::TypedReader& patch, const Header& header, ByteSpan body)
      : patch_(patch), target_size_(header.target_size), memory_bytes_(header.decoder_memory_bytes), from_(body) {}

  [[nodiscard]] bool at_end() const noexcept { return from_.ok() && from_.available() == 0; }

  Result<FillRule> read_rule() {
    FillRule rule;
    BDELTA_ASSIGN(rule.kind, read_kind());
    unit_log_ = from_.u8();
    if (rule.kind.shape == FillShape::kPages) rule.page_log = from_.u8();
    const std::uint64_t count = from_.varint();
    if (!from_.ok()) return corrupt("ends inside a field");
    if (unit_log_ > kMaxUnitLog || !is_page_log(rule)) return corrupt("has an impossible size");
    if (count == 0 || count > from_.available() / kLeastRangeBytes) return corrupt("has an impossible count");
    if (count > memory_bytes_ / kHeldFillBytes) return corrupt("needs more memory than the header declares");
    rule.ranges.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) {
      const bool is_one = read_range(rule);
      if (!from_.ok()) return corrupt("ends inside a field");
      if (!is_one) return corrupt("has a place that is none of NEW");
    }
    memory_bytes_ -= count * kHeldFillBytes;
    return rule;
  }

  Error corrupt(const char* what) { return corrupt_record(patch_, kFillRecord, what); }

 private:
  Result<FillKind> read_kind() {
    std::array<std::uint64_t, 3> numbers{from_.varint(), from_.varint(), from_.varint()};
    for (unsigned named = (numbers[2] & 1) != 0 ? 2 : 0; named > 0; --named) {
      if (const std::uint64_t space = from_.varint(); space != 0) return unknown_number(patch_, "space of fills", space);
    }
    numbers[2] >>= 1;
    if (!from_.ok()) return corrupt("ends inside a field");
    for (const FillKind& kind : kFillKinds) {
      if (std::array{number_of(kind.function), number_of(kind.encoding), number_of(kind.shape)} == numbers) return kind;
    }
    std::string named_so;
    for (const std::uint64_t number : numbers) named_so += ' ' + std::to_string(number);
    return Error{ErrorCode::kUnsupportedFeature,
                 "function, encoding and shape" + named_so + " of fills are not known; a newer bpatch may know them",
                 patch_.position()};
  }

  // The next range, behind those of the rule. False if it is none of the target.
  bool read_range(FillRule& rule) {
    const bool is_first = rule.ranges.empty();
    const std::uint64_t end = is_first ? 0 : rule.ranges.back().end();
    const std::uint64_t gap_units = from_.varint();
    FillRange range{rounded_up(end, unit_log_), from_.varint(), 0};
    if (range.pos < end || range.pos > target_size_ || gap_units > (target_size_ - range.pos) >> unit_log_) return false;
    range.pos += gap_units << unit_log_;
    const std::uint64_t unit_bytes = rule.has_places() ? 1 : kTarBlockBytes;
    if (range.bytes == 0 || range.bytes > (target_size_ - range.pos) / unit_bytes) return false;
    range.bytes *= unit_bytes;
    const std::uint64_t place_end = is_first ? range.end() : rule.place_end(rule.ranges.back());
    if (rule.has_places() && !checked_add_signed(place_end, from_.svarint(), range.place_pos)) return false;
    rule.ranges.push_back(range);
    return true;
  }

  io::TypedReader& patch_;
  const std::uint64_t target_size_;
  std::uint64_t memory_bytes_;
  ByteCursor from_;
  unsigned unit_log_ = 0;
};

}  // namespace

Bytes encode_fills(const Fills& fills) {
  Bytes body;
  for (const FillRule& rule : fills) append_rule(body, rule);
  return seal_record(RecordTag::kFills, body);
}

Result<Fills> read_fills(io::TypedReader& patch, const Header& header) {
  BDELTA_ASSIGN(const Bytes body, read_record_body(patch, kFillRecord, kMaxFillRecordBytes));
  RecordReader reader(patch, header, body);
  Fills fills;
  do {
    BDELTA_ASSIGN(FillRule rule, reader.read_rule());
    fills.push_back(std::move(rule));
  } while (!reader.at_end());
  BDELTA_TRY(check_fills(fills, header.target_size));
  if (held_bytes(fills) > header.decoder_memory_bytes) return reader.corrupt("needs more memory than the header declares");
  return fills;
}

}  // namespace bdelta::native
