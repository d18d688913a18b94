#include "model/window_packer.hpp"

#include <algorithm>
#include <numeric>

#include "base/byte_cursor.hpp"
#include "base/deciding/coding.hpp"
#include "model/range_coder.hpp"
#include "model/window_model.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kMaxNumberBytes = std::uint64_t{4} << 20;  // ops and runs of one window, at most

// The raw streams of a group, window by window.
class StreamCursors {
 public:
  explicit StreamCursors(const GroupDraft& draft) : draft_(draft) {}

  void take(const WindowRecord& record, mix::WindowNumbers& numbers) {
    ByteCursor literals = next(record, kLiteralLengths), copies = next(record, kCopyLengths);
    ByteCursor diagonals = next(record, kDiagonals);
    ByteCursor gaps = next(record, kResidualGaps), lengths = next(record, kResidualLengths);
    ByteCursor values = next(record, kResidualValues);
    numbers.target_length = record.target_length;
    numbers.ops.clear();
    for (std::uint64_t i = 0; i < record.copy_count; ++i) {
      const std::uint64_t literal = literals.varint();
      const std::uint64_t length = copies.varint();
      numbers.ops.push_back({literal, length, diagonals.varint()});
    }
    numbers.runs.clear();
    while (gaps.available() > 0) {
      const auto gap = static_cast<std::uint32_t>(gaps.varint());
      numbers.runs.push_back({gap, static_cast<std::uint32_t>(lengths.varint() + 1)});
    }
    numbers.values.assign(values.position(), values.position() + values.available());
  }

 private:
  ByteCursor next(const WindowRecord& record, StreamId id) {
    const bool apart = record.predicted && id < kOpStreamCount;
    std::size_t& taken = (apart ? taken_apart_ : taken_)[id];
    const ByteSpan stream = apart ? draft_.apart[id] : draft_.streams[id];
    const std::size_t from = taken;
    taken += static_cast<std::size_t>(record.sizes[id]);
    return ByteCursor(stream.subspan(from, static_cast<std::size_t>(record.sizes[id])));
  }

  const GroupDraft& draft_;
  std::array<std::size_t, kStreamCount> taken_{};
  std::array<std::size_t, kStreamCount> taken_apart_{};
};

}  // namespace

ModelScope fitting_scope(const GroupDraft& draft, unsigned streams) {
  std::uint64_t count = 0;
  for (const WindowRecord& record : draft.windows) count += record.copy_count + record.run_count;
  ModelScope scope{streams, 0};
  if (scope.has(kResidualValues)) count += draft.streams[kResidualValues].size();
  while (scope.table_log < kMaxTableLog && count >> scope.table_log > kNumbersPerTable) ++scope.table_log;
  return scope;
}

std::uint64_t packer_memory_bytes(const GroupDraft& draft) {
  std::uint64_t window_bytes = 0;
  for (const WindowRecord& record : draft.windows) {
    if (!record.plain && draft.kind == GroupKind::kWhole) window_bytes = std::max(window_bytes, record.target_length);
  }
  return packer_memory_bytes(window_bytes);
}

std::uint64_t packer_memory_bytes(std::uint64_t window_bytes) {
  return model_memory_bytes({kModelStreams, kMaxTableLog}) + kMaxNumberBytes + window_bytes;
}

PackedGroup pack_group(const GroupDraft& draft, const ModelScope& scope, Watch* watch) {
  PackedGroup packed;
  packed.scope = scope;
  RangeEncoder encoder;
  const auto model = std::make_unique<mix::WindowModel>(scope);
  StreamCursors cursors(draft);
  mix::WindowNumbers numbers;
  for (const WindowRecord& record : draft.windows) {
    if (record.plain) {
      model->plain(record.target_length, static_cast<std::uint64_t>(record.diagonal_change));
    } else {
      cursors.take(record, numbers);
      (void)model->code_ops(encoder, numbers, record.predicted);  // what is encoded here fits
      (void)model->code_residual(encoder, numbers);
    }
    packed.taken_bytes.push_back(encoder.taken_bytes());
    if (watch) watch->advance(std::accumulate(record.sizes.begin(), record.sizes.begin() + kLiterals, std::uint64_t{0}));
  }
  encoder.enter(kLiterals);
  for (std::size_t i = 0; i < kStreamCount; ++i) {
    packed.cost_bytes[i] = static_cast<std::uint64_t>(encoder.bits_of_streams()[i]) / (8 * kLog2One);
  }
  packed.code = encoder.finish();
  return packed;
}

}  // namespace bdelta
