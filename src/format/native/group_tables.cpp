#include "format/native/group_tables.hpp"

#include <string>

#include "base/byte_cursor.hpp"
#include "base/try.hpp"

namespace bdelta::native {
namespace {

// What a packed window has of streams out of scope; how many literals there are follows from its ops.
void parse_given_sizes(ByteCursor& head, GroupKind kind, const ModelScope& scope, WindowRecord& window) {
  for (std::size_t i = 0; i <= kResidualValues; ++i) {
    const bool carried = (streams_of(kind, window) >> i & 1) != 0;
    const bool used = carried && (i <= kDiagonals ? window.copy_count : window.run_count) > 0;
    if (used && !scope.has(i)) window.sizes[i] = head.varint();
  }
}

WindowRecord parse_window(ByteCursor& head, GroupKind kind, bool packed, const ModelScope& scope,
                          const std::optional<ModelledScope>& modelled) {
  WindowRecord window;
  window.target_length = head.varint();
  if (kind == GroupKind::kWhole) {
    const std::uint64_t length_and_kind = window.target_length;
    window.plain = (length_and_kind & kWindowCoded) == 0;
    window.target_length >>= window.plain ? 1 : kWindowBits;
    if (window.plain) {
      window.diagonal_change = head.svarint();
      return window;
    }
    window.predicted = (length_and_kind & kWindowPredicted) != 0;
    window.checksum = head.le<std::uint32_t>();
  }
  if (!window.predicted) window.copy_count = head.varint();
  if (packed) {
    if (kind != GroupKind::kCovers) window.run_count = head.varint();
    parse_given_sizes(head, kind, scope, window);
    if (modelled) window.sizes[code_stream(*modelled)] = head.varint();
    return window;
  }
  const unsigned present = head.u8();
  window.unknown_streams = (present & ~streams_of(kind, window)) != 0;
  for (std::size_t i = 0; i < kStreamCount; ++i) {
    if (present >> i & 1) window.sizes[i] = head.varint();
  }
  return window;
}

class TablesParser {
 public:
  TablesParser(ByteSpan head, GroupKind kind, const Header& header, std::uint64_t error_pos)
      : cursor_(head), kind_(kind), header_(header), error_pos_(error_pos) {}

  Result<GroupTables> parse(std::uint64_t target_bytes) {
    BDELTA_TRY(parse_form());
    BDELTA_TRY(parse_windows(target_bytes));
    BDELTA_TRY(parse_streams());
    return std::move(tables_);
  }

 private:
  Status parse_form();
  Status parse_modelled_scope();
  Status parse_windows(std::uint64_t target_bytes);
  Status parse_streams();
  [[nodiscard]] bool is_bounded(const WindowRecord& window) const;
  Status take_memory(std::uint64_t bytes);
  [[nodiscard]] Error corrupt(const char* what) const {
    return {ErrorCode::kPatchCorrupt, std::string(what) + "; fetch the patch again", error_pos_};
  }
  [[nodiscard]] Error unknown(const std::string& what) const {
    return {ErrorCode::kUnsupportedFeature, what + "; a newer bpatch may know it", error_pos_};
  }

  ByteCursor cursor_;
  const GroupKind kind_;
  const Header& header_;
  const std::uint64_t error_pos_;
  GroupTables tables_;
  std::uint64_t memory_bytes_ = 0;  // of all decoders
};

Status TablesParser::take_memory(std::uint64_t bytes) {
  memory_bytes_ += bytes;
  if (memory_bytes_ > header_.decoder_memory_bytes) return corrupt("a group needs more memory than the header declares");
  return {};
}

Status TablesParser::parse_form() {
  const unsigned form = cursor_.u8();
  if (!cursor_.ok()) return corrupt("a group has no head");
  const unsigned table_log = form >> kFormTableShift;
  tables_.packed = (form & kFormPacked) != 0;
  tables_.has_literals = (form & kFormLiterals) != 0;
  unsigned known = kFormPacked | kFormLiterals;
  if ((header_.required_features & kFeatureModelledBytes) != 0) known |= kFormModelledBytes;
  if ((form & 15 & ~known) != 0 || table_log > kMaxTableLog || (!tables_.packed && (form & ~kFormModelledBytes) != 0)) {
    return unknown("a group has form " + std::to_string(form));
  }
  if (tables_.has_literals && kind_ == GroupKind::kCovers) return corrupt("a group of covers has literals");
  if (tables_.packed) {
    const unsigned streams = cursor_.u8();
    if (!cursor_.ok() || (streams & ~(kModelStreams & streams_of(kind_))) != 0) {
      return corrupt("a packed group has streams that can't be packed");
    }
    tables_.scope = {streams, table_log};
  }
  return (form & kFormModelledBytes) != 0 ? parse_modelled_scope() : Status();
}

Status TablesParser::parse_modelled_scope() {
  const unsigned byte = cursor_.u8();
  if (kind_ == GroupKind::kCovers || !cursor_.ok()) return corrupt("a group has modelled bytes where none may be");
  ModelledScope scope;
  scope.literals = (byte & kModelledLiterals) != 0;
  scope.misses = (byte & kModelledMisses) != 0;
  scope.lane_count = (byte & kModelledTwoLanes) != 0 ? 2 : 1;
  const std::uint64_t features =
      (scope.literals ? kFeatureModelledLiterals : 0) | (scope.misses ? kFeatureModelledMisses : 0);
  bool known = byte <= (kModelledLiterals | kModelledMisses | kModelledTwoLanes) &&
               (features & ~header_.required_features) == 0;
  if (scope.literals) known = cursor_.u8() == kLiteralModel && known;
  if (scope.misses) {
    known = cursor_.u8() == kMissModel && known;
    scope.miss_log = cursor_.u8();
  }
  if (!cursor_.ok()) return corrupt("the head of a group ends too early");
  if (!known) return unknown("a group has bytes coded by a model that is not known");
  constexpr unsigned kResidualStreams = 1u << kResidualGaps | 1u << kResidualLengths | 1u << kResidualValues;
  const bool residual_twice = tables_.packed && scope.misses && (tables_.scope.streams & kResidualStreams) != 0;
  const bool literals_twice = scope.misses && scope.literals && tables_.has_literals;
  const bool fits = scope.miss_log >= kMinMissLog && scope.miss_log <= kMaxMissLog;
  if ((!scope.literals && !scope.misses) || !fits || residual_twice || literals_twice) {
    return corrupt("the modelled bytes of a group are coded in a way that does not exist");
  }
  tables_.modelled = scope;
  return take_memory(models_memory_bytes(scope));
}

// Every size is tied to the window's target bytes or to a limit of the format.
bool TablesParser::is_bounded(const WindowRecord& window) const {
  if (window.target_length == 0 || window.unknown_streams) return false;
  if (window.plain) return true;
  if (window.predicted && (header_.required_features & kFeaturePrediction) == 0) return false;
  StreamSizes sizes = window.sizes;
  if (tables_.modelled) {
    const ModelledScope& modelled = *tables_.modelled;
    if (sizes[code_stream(modelled)] > most_code_bytes(window.target_length)) return false;
    sizes[code_stream(modelled)] = 0;
    const bool has_runs = window.run_count > 0 || sizes[kResidualGaps] > 0 || sizes[kResidualLengths] > 0;
    if (modelled.misses && (has_runs || (modelled.literals && sizes[kLiterals] > 0))) return false;
  }
  return (window.target_length <= header_.window_bytes || kind_ == GroupKind::kCovers) && window.copy_count <= kMaxWindowOps &&
         window.run_count <= kMaxWindowRuns && sizes[kLiteralLengths] <= window.copy_count * kMaxVarintBytes &&
         sizes[kCopyLengths] <= window.copy_count * kMaxVarintBytes &&
         sizes[kDiagonals] <= window.copy_count * kMaxVarintBytes &&
         sizes[kResidualGaps] <= kMaxWindowRuns * kMaxVarintBytes &&
         sizes[kResidualLengths] <= kMaxWindowRuns * kMaxVarintBytes &&
         sizes[kResidualValues] <= window.target_length && sizes[kLiterals] <= window.target_length;
}

Status TablesParser::parse_windows(std::uint64_t target_bytes) {
  const std::size_t table_bytes = cursor_.available();
  const std::uint64_t count = cursor_.varint();
  if (count > kMaxGroupWindows || count > table_bytes / 2) return corrupt("a group declares more windows than it can hold");
  tables_.windows.reserve(static_cast<std::size_t>(count));
  std::uint64_t left = target_bytes;
  for (std::uint64_t i = 0; i < count; ++i) {
    const WindowRecord window = parse_window(cursor_, kind_, tables_.packed, tables_.scope, tables_.modelled);
    if (!cursor_.ok()) return corrupt("the table of windows is broken");
    if (!is_bounded(window)) return corrupt("a window is larger than the header allows");
    if (window.target_length > left) return corrupt("the windows of a group add up to more than it declares");
    left -= window.target_length;
    tables_.coded_count += !window.plain;
    for (std::size_t s = 0; s < kStreamCount; ++s) tables_.streams[s].present |= window.sizes[s] != 0;
    tables_.windows.push_back(window);
  }
  if (left != 0) return corrupt("the windows of a group add up to less than it declares");
  return {};
}

Status TablesParser::parse_streams() {
  if (tables_.packed) {
    tables_.streams[kLiterals].present = tables_.has_literals;
    BDELTA_TRY(take_memory(model_memory_bytes(tables_.scope)));
  }
  for (StreamCode& stream : tables_.streams) {
    if (!stream.present) continue;
    const unsigned entry = cursor_.u8();
    if ((entry & 15) >= kCodecCount) return unknown("codec " + std::to_string(entry & 15));
    stream.codec = static_cast<CodecId>(entry & 15);
    const bool is_stored = stream.codec == CodecId::kStore;
    if (is_stored && entry >> 4 != 0) return corrupt("a stored stream declares a window");
    if (tables_.modelled && &stream == &tables_.streams[code_stream(*tables_.modelled)] && !is_stored) {
      return corrupt("a code is compressed");
    }
    stream.window_log = (entry >> 4) + kMinWindowLog;
    BDELTA_TRY(take_memory(decoder_memory_bytes(stream.codec, stream.window_log)));
  }
  if (!cursor_.ok() || cursor_.available() != 0) return corrupt("the table of streams is broken");
  return {};
}

}  // namespace

Result<GroupTables> parse_group_tables(ByteSpan head, GroupKind kind, const Header& header, std::uint64_t target_bytes,
                                   std::uint64_t error_pos) {
  return TablesParser(head, kind, header, error_pos).parse(target_bytes);
}

}  // namespace bdelta::native
