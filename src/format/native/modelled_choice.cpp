#include "format/native/modelled_choice.hpp"

#include <algorithm>

#include "base/deciding/coding.hpp"
#include "base/deciding/prices.hpp"
#include "base/try.hpp"
#include "format/native/apply_price.hpp"
#include "format/native/group_tasks.hpp"
#include "format/native/layout.hpp"
#include "format/native/packed_choice.hpp"

namespace bdelta::native {
namespace {

std::uint64_t bytes_for(std::uint64_t ns, const WriterSettings& settings) {
  return settings.apply_byte_ns == 0 ? 0 : (std::max(ns, kFreeModelNs) - kFreeModelNs) / settings.apply_byte_ns;
}

std::uint64_t literal_price(const ModelledBytes& bytes, const WriterSettings& settings) {
  return bytes_for(literal_ns(bytes), settings);
}

// The models of literals and of misses, where these may be tried.
ModelledScope fitting_scope(const GroupDraft& draft, const WriterSettings& settings, bool try_misses) {
  const ModelledBytes bytes = modelled_bytes_of(draft);
  ModelledScope scope;
  scope.literals =
      settings.model_literals && literal_price(bytes, settings) < bytes.literals;
  scope.misses = try_misses;
  if (try_misses && bytes.literals + bytes.copied >= settings.lane_bytes) scope.lane_count = kPackedLanes;
  const auto too_small = [&](unsigned log) { return bytes.misses / scope.lane_count >> (log - kMinMissLog) > kMissesPerTable; };
  while (scope.miss_log < kMaxMissLog && too_small(scope.miss_log)) ++scope.miss_log;
  return scope;
}

void count_lanes(TriedModels& tried) {
  tried.bytes = {};
  for (const PackedLane& lane : tried.lanes) {
    for (std::size_t s = 0; s < kStreamCount; ++s) tried.bytes[s] += lane.cost_bytes[s];
  }
}

std::uint64_t miss_bytes(const TriedModels& tried) { return tried.bytes[kResidualGaps] + tried.bytes[kResidualValues]; }

// Codes what is left of the scope, where that is less than it was.
Status set_scope(const GroupDraft& draft, const ModelledScope& scope, const ModelledInputs& inputs, Watch* watch,
                 TriedModels& tried) {
  if (scope.literals == tried.scope.literals && scope.misses == tried.scope.misses) return {};
  tried.scope = scope;
  tried.lanes.clear();
  if (modelled_streams(scope) == 0) return {};
  for (unsigned lane = 0; lane < scope.lane_count; ++lane) {
    BDELTA_ASSIGN(PackedLane packed, pack_lane(draft, scope, lane, inputs, watch));
    tried.lanes.push_back(std::move(packed));
  }
  count_lanes(tried);
  return {};
}

// The streams of the group with what models code of them replaced by its code.
Result<CodedStreams> with_models(const GroupDraft& draft, const ModelledGroup& modelled, const WriterSettings& settings,
                                 Watch* watch, const CodedStreams& plain) {
  CodedStreams coded = plain;
  coded.modelled = modelled.scope;
  const unsigned streams = modelled_streams(modelled.scope);
  const GroupDraft rest = without_modelled(draft, streams);
  for (std::size_t s = kOpStreamCount; s < kModelledCode; ++s) {
    if ((streams >> s & 1) == 0) continue;
    BDELTA_ASSIGN(coded.streams[s], compress_stream(rest.streams[s], settings_of(settings, s), {watch, nullptr, false}));
  }
  if (modelled.scope.misses) {
    coded.packed = settings.model ? pack_smallest(rest, settings, watch, coded.streams) : std::nullopt;
  }
  BDELTA_ASSIGN(coded.streams[kModelledCode], compress_stream(modelled.code, {}, {watch, nullptr, false}));
  return coded;
}

// What of the cost of a stream windows with modelled bytes have, about: as of its bytes before coding.
std::uint64_t modelled_cost(const GroupDraft& draft, const GroupChoices& made, std::size_t stream) {
  std::uint64_t bytes = 0;
  for (const WindowRecord& window : draft.windows) bytes += window.modelled ? window.sizes[stream] : 0;
  const std::uint64_t all_bytes = draft.streams[stream].size();
  const std::uint64_t cost = stream_cost(made, stream);
  return bytes == all_bytes ? cost : cost * bytes / all_bytes;
}

}  // namespace

std::uint64_t miss_price(const ModelledBytes& bytes, const WriterSettings& settings) {
  return bytes_for(miss_ns(bytes), settings);
}

ModelledScope scope_to_try(const GroupDraft& draft, const WriterSettings& settings) {
  const ModelledBytes bytes = modelled_bytes_of(draft);
  // It saves a byte a miss at best.
  const bool try_misses = settings.model_misses && miss_price(bytes, settings) < bytes.misses;
  return fitting_scope(draft, settings, try_misses);
}

bool tries_modelled_misses(std::span<const GroupDraft> drafts, const WriterSettings& settings) {
  return std::any_of(drafts.begin(), drafts.end(), [&](const GroupDraft& draft) { return scope_to_try(draft, settings).misses; });
}

Result<bool> may_take_modelled_misses(std::span<const GroupDraft> drafts, const WriterSettings& settings, Watch* watch) {
  for (const GroupDraft& draft : drafts) {
    if (!scope_to_try(draft, settings).misses) continue;
    std::uint64_t residual_bytes = 0;
    for (const StreamId s : kResidualStreams) {
      BDELTA_ASSIGN(const CodedStream coded, compress_stream(draft.streams[s], kQuickCodec, {watch, nullptr, false}));
      residual_bytes += coded_bytes(coded);
    }
    if (residual_bytes > miss_price(modelled_bytes_of(draft), settings)) return true;
  }
  return false;
}

void leave_out_hopeless_misses(const GroupDraft& draft, const WriterSettings& settings, GroupChoices& made) {
  ModelledScope& scope = made.modelled.scope;
  if (!scope.misses) return;
  std::uint64_t quick_bytes = 0;
  for (const StreamId s : kResidualStreams) quick_bytes += modelled_cost(draft, made, s);
  if (quick_bytes <= miss_price(modelled_bytes_of(draft), settings)) scope = fitting_scope(draft, settings, false);
}

bool are_misses_far_ahead(const GroupDraft& draft, const WriterSettings& settings, const GroupChoices& made) {
  if (!made.modelled.scope.misses) return false;
  std::uint64_t quick_bytes = 0;
  std::uint64_t model_bytes = miss_price(modelled_bytes_of(draft), settings);
  for (const StreamId s : kResidualStreams) {
    quick_bytes += modelled_cost(draft, made, s);
    for (const PackedLane& lane : made.modelled.lanes) model_bytes += lane.cost_bytes[s];
  }
  return quick_bytes >= kFarAheadLeastBytes && model_bytes <= quick_bytes / kFarAheadDenominator * kFarAheadNumerator;
}

Status keep_worthwhile_models(const GroupDraft& draft, const WriterSettings& settings, const ModelledInputs& inputs,
                                Watch* watch, GroupChoices& made) {
  TriedModels& tried = made.modelled;
  if (tried.lanes.empty()) return {};
  count_lanes(tried);
  std::uint64_t residual_cost = 0;
  for (const StreamId s : kResidualStreams) residual_cost += modelled_cost(draft, made, s);
  const ModelledBytes bytes = modelled_bytes_of(draft);
  ModelledScope scope = tried.scope;
  scope.literals = scope.literals && tried.bytes[kLiterals] + literal_price(bytes, settings) < modelled_cost(draft, made, kLiterals);
  scope.misses = scope.misses && miss_bytes(tried) + miss_price(bytes, settings) < residual_cost;
  return set_scope(draft, scope, inputs, watch, tried);
}

std::uint64_t cost_of(const GroupDraft& draft, const GroupChoices& made, std::size_t stream) noexcept {
  const TriedModels& tried = made.modelled;
  const bool has = stream == kLiterals ? tried.scope.literals : stream >= kResidualGaps && tried.scope.misses;
  const std::uint64_t cost = stream_cost(made, stream);
  if (!has || tried.lanes.empty()) return cost;
  return std::min(cost, tried.bytes[stream] + cost - modelled_cost(draft, made, stream));
}

Status assemble_with_models(const GroupDraft& draft, const WriterSettings& settings, Watch* watch, GroupChoices& made) {
  const TriedModels& tried = made.modelled;
  if (tried.lanes.empty()) return {};
  const ModelledGroup modelled = join_lanes(draft, tried.scope, tried.lanes);
  if (!modelled.sound) return {};
  BDELTA_ASSIGN(CodedStreams coded, with_models(draft, modelled, settings, watch, made.coded));
  CodedGroup group = assemble_group(modelled.windows, coded);
  const ModelledBytes bytes = modelled_bytes_of(draft);
  const std::uint64_t price = (tried.scope.literals ? literal_price(bytes, settings) : 0) +
                              (tried.scope.misses ? miss_price(bytes, settings) : 0);
  if (group.body.size() + price >= made.group.body.size()) return {};
  made.group = std::move(group);
  made.coded = std::move(coded);
  made.modelled_bytes = modelled.cost_bytes;
  return {};
}

}  // namespace bdelta::native
