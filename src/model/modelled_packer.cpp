#include "model/modelled_packer.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "model/lane_models.hpp"
#include "model/draft_walk.hpp"
#include "model/range_coder.hpp"

namespace bdelta {
namespace {

// What stands in the window before it is coded: what copies give, or where misses are not coded the target.
Status fill_window(const DraftWalk& walk, const ModelledScope& scope, const ModelledInputs& inputs, ByteSpan target,
                   MutableByteSpan out) {
  std::copy(target.begin(), target.end(), out.begin());
  std::uint64_t at = 0;
  for (const DeltaOp& op : walk.ops) {
    const MutableByteSpan bytes = out.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(op.length));
    if (op.kind == OpKind::kCopy && scope.misses) {
      if (inputs.predicted.empty()) {
        BDELTA_TRY(inputs.source->read_at(op.source_pos, bytes));
      } else {
        const ByteSpan predicted = inputs.predicted.subspan(static_cast<std::size_t>(walk.target_pos + at), bytes.size());
        std::copy(predicted.begin(), predicted.end(), bytes.begin());
      }
      if (inputs.substitutions) inputs.substitutions->replace_at(walk.target_pos + at, bytes);
    }
    at += op.length;
  }
  return {};
}

}  // namespace

std::uint64_t modelled_packer_bytes(std::uint64_t window_bytes) {
  constexpr ModelledScope kLargest = {true, true, kMaxMissLog};
  return models_memory_bytes(kLargest) + 4 * window_bytes;
}

Result<PackedLane> pack_lane(const GroupDraft& draft, const ModelledScope& scope, unsigned lane,
                             const ModelledInputs& inputs, Watch* watch) {
  PackedLane packed;
  RangeEncoder encoder;
  mix::LaneModels model(scope, *inputs.source);
  DraftWalk walk(draft);
  Bytes target, out;
  std::uint64_t number = 0;
  for (const WindowRecord& record : draft.windows) {
    walk.take(record);
    if (!record.modelled || number++ % scope.lane_count != lane) continue;
    target.resize(static_cast<std::size_t>(record.target_length));
    out.resize(target.size());
    BDELTA_TRY(inputs.target->read_at(walk.target_pos, target));
    BDELTA_TRY(fill_window(walk, scope, inputs, target, out));
    // A copy of the target ends nowhere in the source.
    const std::uint64_t source_before = walk.source_before <= inputs.source->size() ? walk.source_before : kNoSource;
    BDELTA_TRY(model.code(encoder, walk.target_pos, walk.ops, source_before, out, target.data(), watch));
    packed.taken_bytes.push_back(encoder.taken_bytes());
    if (watch) watch->advance();
  }
  encoder.enter(kLiteralLengths);
  for (std::size_t i = 0; i < kStreamCount; ++i) {
    packed.cost_bytes[i] = static_cast<std::uint64_t>(encoder.bits_of_streams()[i]) / (8 * kLog2One);
  }
  packed.cost_bytes[kLiteralLengths] = 0;
  packed.code = encoder.finish();
  return packed;
}

ModelledGroup join_lanes(const GroupDraft& draft, const ModelledScope& scope, const std::vector<PackedLane>& lanes) {
  ModelledGroup coded;
  coded.scope = scope;
  coded.windows = draft.windows;
  coded.sound = true;
  std::vector<std::uint64_t> done(scope.lane_count);  // of each lane's code
  std::uint64_t number = 0;
  for (WindowRecord& record : coded.windows) {
    if (!record.modelled) continue;
    const PackedLane& lane = lanes[number % scope.lane_count];
    const std::uint64_t end = std::min<std::uint64_t>(lane.taken_bytes[number / scope.lane_count], lane.code.size());
    std::uint64_t& begin = done[number % scope.lane_count];
    record.sizes[kModelledCode] = end - begin;
    coded.sound &= end - begin <= most_code_bytes(record.target_length);
    append(coded.code, ByteSpan(lane.code).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
    begin = end;
    ++number;
  }
  for (const PackedLane& lane : lanes) {
    for (std::size_t i = 0; i < kStreamCount; ++i) coded.cost_bytes[i] += lane.cost_bytes[i];
  }
  return coded;
}

}  // namespace bdelta
