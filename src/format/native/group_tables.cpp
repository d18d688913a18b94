#include "format/native/group_tables.hpp"

#include <string>

#include "base/byte_cursor.hpp"
#include "base/try.hpp"

namespace bdelta::native {
namespace {

// What a packed window has of streams out of scope; how many literals there are follows from its ops.
void parse_given_sizes(ByteCursor& head, unsigned streams, const ModelScope& scope, WindowRecord& window) {
  for (std::size_t i = 0; i <= kResidualValues; ++i) {
    const bool used = (streams >> i & 1) != 0 && (i <= kDiagonals ? window.copy_count : window.run_count) > 0;
    if (used && !scope.has(i)) window.sizes[i] = head.varint();
  }
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
  [[nodiscard]] bool may_have(const WindowRecord& window) const;
  Status parse_window(WindowRecord& window);
  Status parse_coded(WindowRecord& window);
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
  constexpr unsigned known = kFormPacked | kFormLiterals | kFormModelledBytes;
  if ((form & 15 & ~known) != 0 || table_log > kMaxTableLog || (!tables_.packed && (form & ~kFormModelledBytes) != 0)) {
    return unknown("a group has form " + std::to_string(form));
  }
  if (tables_.packed) {
    const unsigned streams = cursor_.u8();
    if (!cursor_.ok() || (streams & ~kModelStreams) != 0) return corrupt("a packed group has streams that can't be packed");
    tables_.scope = {streams, table_log};
  }
  return (form & kFormModelledBytes) != 0 ? parse_modelled_scope() : Status();
}

Status TablesParser::parse_modelled_scope() {
  const unsigned byte = cursor_.u8();
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
  const bool fits = scope.miss_log >= kMinMissLog && scope.miss_log <= kMaxMissLog;
  if ((!scope.literals && !scope.misses) || !fits) {
    return corrupt("the modelled bytes of a group are coded in a way that does not exist");
  }
  tables_.modelled = scope;
  return take_memory(models_memory_bytes(scope));
}

// Covers stand in groups of their own, modelled bytes and predicted windows where their models and covers are.
bool TablesParser::may_have(const WindowRecord& window) const {
  if (window.covers != (kind_ == GroupKind::kCovers)) return false;
  if (window.covers && (window.predicted || window.modelled)) return false;
  if (window.predicted && (header_.required_features & kFeaturePrediction) == 0) return false;
  return !window.modelled || modelled_streams(tables_.modelled) != 0;
}

Status TablesParser::parse_window(WindowRecord& window) {
  const std::uint64_t length_and_kind = cursor_.varint();
  window.plain = (length_and_kind & kWindowCoded) == 0;
  window.target_length = length_and_kind >> (window.plain ? 1 : kWindowBits);
  if (window.plain) {
    window.diagonal_change = cursor_.svarint();
  } else {
    window.predicted = (length_and_kind & kWindowPredicted) != 0;
    window.modelled = (length_and_kind & kWindowModelled) != 0;
    window.covers = (length_and_kind & kWindowCovers) != 0;
  }
  if (!may_have(window)) return corrupt("a window is of a kind that its group can't have");
  return window.plain ? Status() : parse_coded(window);
}

Status TablesParser::parse_coded(WindowRecord& window) {
  const unsigned streams = streams_of(window, tables_.modelled);
  const auto has = [streams](StreamId stream) { return (streams >> stream & 1) != 0; };
  if (!window.covers) window.checksum = cursor_.le<std::uint32_t>();
  if (has(kCopyLengths)) window.copy_count = cursor_.varint();
  if (tables_.packed) {
    if (has(kResidualGaps)) window.run_count = cursor_.varint();
    parse_given_sizes(cursor_, streams, tables_.scope, window);
    if (has(kModelledCode)) window.sizes[kModelledCode] = cursor_.varint();
    return {};
  }
  const unsigned present = cursor_.u8();
  if ((present & ~streams) != 0) return corrupt("a window has bytes of a stream that it can't have");
  for (std::size_t i = 0; i < kStreamCount; ++i) {
    if ((present >> i & 1) == 0) continue;
    window.sizes[i] = cursor_.varint();
    if (cursor_.ok() && window.sizes[i] == 0) return corrupt("a window has a stream of no bytes");
  }
  return {};
}

// Every size is tied to the window's target bytes or to a limit of the format.
bool TablesParser::is_bounded(const WindowRecord& window) const {
  if (window.target_length == 0) return false;
  if (window.plain) return true;
  const StreamSizes& sizes = window.sizes;
  return (window.target_length <= header_.window_bytes || window.covers) && window.copy_count <= kMaxWindowCopies &&
         window.run_count <= kMaxWindowRuns && sizes[kLiteralLengths] <= window.copy_count * kMaxVarintBytes &&
         sizes[kCopyLengths] <= window.copy_count * kMaxVarintBytes &&
         sizes[kDiagonals] <= window.copy_count * kMaxVarintBytes &&
         sizes[kResidualGaps] <= kMaxWindowRuns * kMaxVarintBytes &&
         sizes[kResidualLengths] <= kMaxWindowRuns * kMaxVarintBytes &&
         sizes[kResidualValues] <= window.target_length && sizes[kLiterals] <= window.target_length &&
         sizes[kModelledCode] <= most_code_bytes(window.target_length);
}

Status TablesParser::parse_windows(std::uint64_t target_bytes) {
  const std::size_t table_bytes = cursor_.available();
  const std::uint64_t count = cursor_.varint();
  if (count > kMaxGroupWindows || count > table_bytes / 2) return corrupt("a group declares more windows than it can hold");
  tables_.windows.reserve(static_cast<std::size_t>(count));
  std::uint64_t left = target_bytes;
  for (std::uint64_t i = 0; i < count; ++i) {
    WindowRecord window;
    BDELTA_TRY(parse_window(window));
    if (!cursor_.ok()) return corrupt("the table of windows is broken");
    if (!is_bounded(window)) return corrupt("a window is larger than the header allows");
    if (window.target_length > left) return corrupt("the windows of a group add up to more than it declares");
    left -= window.target_length;
    tables_.modelled_count += window.modelled;
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
    if (&stream == &tables_.streams[kModelledCode] && !is_stored) return corrupt("a code is compressed");
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
