#include "format/native/contents_choice.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "format/native/layout.hpp"
#include "format/native/packed_choice.hpp"

namespace bdelta::native {
namespace {

// What decoding contents takes, as integers so that the choice is the same everywhere: rounded from a machine of 2026.
constexpr std::uint64_t kLiteralNs = 1700;
constexpr std::uint64_t kCopiedNs = 150;
constexpr std::uint64_t kMissNs = 2000;
constexpr std::uint64_t kTargetNs = 667;                   // for each target byte: 1.5 MB a second
constexpr std::uint64_t kFreeContentsNs = 1'500'000'000;   // however small the group is
constexpr std::uint64_t kMostMissNs = 20'000'000;          // for each miss: all copied bytes are gone through for them

// The light model of literals, likewise.
constexpr std::uint64_t kLightLiteralNs = 1000;            // with its share of the source that is brought in
constexpr std::uint64_t kLightFirstNs = 5'000'000;         // memory and training, with however few literals
constexpr std::uint64_t kFreeLightNs = 10'000'000;         // what takes longer has to save bytes for it

constexpr std::uint64_t kLeastLiterals = 24;               // fewer save no more than their model's part of the head
constexpr std::uint64_t kLeastMisses = 8;                  // likewise

std::uint64_t light_ns_of(const GroupDraft& draft) {
  return kLightFirstNs + draft.streams[kLiterals].size() * kLightLiteralNs;
}

// Bytes that the light model must save for the time it takes.
std::uint64_t light_price(const GroupDraft& draft, const WriterSettings& settings) {
  if (settings.model_byte_ns == 0) return 0;
  return (std::max(light_ns_of(draft), kFreeLightNs) - kFreeLightNs) / settings.model_byte_ns;
}

// The streams of the group with what the contents coder carries of them replaced by its code.
CodedStreams with_contents(const GroupDraft& draft, const CodedContents& contents, const WriterSettings& settings,
                           Watch* watch, const CodedStreams& plain) {
  CodedStreams coded = plain;
  coded.contents = contents.scope;
  if (contents.scope.literals) coded.streams[kLiterals] = {};
  if (contents.scope.misses) {
    for (const std::size_t s : {kResidualGaps, kResidualLengths, kResidualValues}) coded.streams[s] = {};
    coded.packed = settings.model ? pack_ops(draft, settings, watch, coded.streams) : std::nullopt;
  }
  CodedStream& code = coded.streams[code_stream(contents.scope)];
  for (std::size_t begin = 0; begin < contents.code.size(); begin += kMaxFrameBytes) {
    const auto first = contents.code.begin() + static_cast<std::ptrdiff_t>(begin);
    const std::size_t length = std::min<std::size_t>(kMaxFrameBytes, contents.code.size() - begin);
    code.frames.emplace_back(first, first + static_cast<std::ptrdiff_t>(length));
  }
  return coded;
}

// Takes the group with its contents coded so if that is smaller than what was chosen before, by more than `price` bytes.
// `plain`: its streams without.
void assemble_contents(const GroupDraft& draft, const ContentsScope& scope, const std::vector<PackedLane>& lanes,
                       const CodedStreams& plain, std::uint64_t price, const WriterSettings& settings, Watch* watch,
                       GroupChoices& made) {
  const CodedContents contents = join_lanes(draft, scope, lanes);
  if (!contents.sound) return;
  CodedStreams coded = with_contents(draft, contents, settings, watch, plain);
  CodedGroup group = assemble_group(draft.kind, contents.windows, coded);
  if (group.body.size() + price >= made.group.body.size()) return;
  made.group = std::move(group);
  made.coded = std::move(coded);
  made.contents_bytes = contents.cost_bytes;
}

}  // namespace

ContentsScope scope_to_try(const GroupDraft& draft, std::uint64_t lane_bytes) {
  const std::uint64_t literals = draft.streams[kLiterals].size();
  const std::uint64_t misses = draft.streams[kResidualValues].size();
  std::uint64_t target_bytes = 0;
  for (const WindowRecord& window : draft.windows) target_bytes += window.target_length;
  const std::uint64_t most_ns = target_bytes * kTargetNs + kFreeContentsNs;
  const std::uint64_t miss_ns = (draft.coded_bytes - literals) * kCopiedNs + misses * kMissNs;
  const bool is_worth_it = miss_ns <= kFreeContentsNs || miss_ns / kMostMissNs <= misses;
  const bool try_misses = misses >= kLeastMisses && miss_ns <= most_ns && is_worth_it;
  const bool try_literals = literals >= kLeastLiterals && literals * kLiteralNs + (try_misses ? miss_ns : 0) <= most_ns;
  return fitting_contents(draft, try_literals, try_misses, lane_bytes);
}

bool try_light(const GroupDraft& draft, std::uint64_t light_ns) {
  return draft.streams[kLiterals].size() >= kLeastLiterals && light_ns_of(draft) <= light_ns;
}

Status keep_worthwhile_contents(const GroupDraft& draft, const ContentsInputs& inputs, Watch* watch,
                                GroupChoices& made) {
  if (made.lanes.empty()) return {};
  ContentsScope scope = made.lanes_scope;
  StreamSizes& cost = made.lanes_bytes;
  for (const PackedLane& lane : made.lanes) {
    for (std::size_t s = 0; s < kStreamCount; ++s) cost[s] += lane.cost_bytes[s];
  }
  std::uint64_t residual_cost = 0;
  for (const StreamId s : {kResidualGaps, kResidualLengths, kResidualValues}) residual_cost += stream_cost(made, s);
  scope.literals = scope.literals && cost[kLiterals] < stream_cost(made, kLiterals);
  scope.misses = scope.misses && cost[kResidualGaps] + cost[kResidualValues] < residual_cost;
  if (scope.literals == made.lanes_scope.literals && scope.misses == made.lanes_scope.misses) return {};
  made.lanes.clear();
  made.lanes_scope = scope;
  if (!scope.literals && !scope.misses) return {};
  for (unsigned lane = 0; lane < scope.lane_count; ++lane) {
    BDELTA_ASSIGN(PackedLane packed, pack_lane(draft, scope, lane, inputs, watch));
    made.lanes.push_back(std::move(packed));
  }
  return {};
}

std::uint64_t cost_of(const GroupChoices& made, std::size_t stream) noexcept {
  const ContentsScope& scope = made.lanes_scope;
  const bool in_lanes = stream == kLiterals ? scope.literals : stream >= kResidualGaps && scope.misses;
  const std::uint64_t cost = !made.lanes.empty() && in_lanes ? made.lanes_bytes[stream] : stream_cost(made, stream);
  return stream == kLiterals && made.light ? std::min(cost, made.light->cost_bytes[stream]) : cost;
}

void assemble_with_contents(const GroupDraft& draft, const WriterSettings& settings, Watch* watch, GroupChoices& made) {
  if (made.lanes.empty() && !made.light) return;
  const CodedStreams plain = made.coded;
  if (!made.lanes.empty()) assemble_contents(draft, made.lanes_scope, made.lanes, plain, 0, settings, watch, made);
  if (!made.light) return;
  // Where slow contents are allowed, time is no price.
  const std::uint64_t price = settings.contents ? 0 : light_price(draft, settings);
  assemble_contents(draft, light_scope(), {std::move(*made.light)}, plain, price, settings, watch, made);
}

}  // namespace bdelta::native
