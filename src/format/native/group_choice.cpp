#include "format/native/group_choice.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>

#include "base/guard.hpp"
#include "base/try.hpp"
#include "format/native/layout.hpp"

namespace bdelta::native {

std::uint64_t coded_bytes(const CodedStream& stream) noexcept {
  std::uint64_t bytes = 0;
  for (const Bytes& frame : stream.frames) bytes += frame.size();
  return bytes;
}

namespace {

constexpr std::uint64_t kDoubtLeast = 64;        // bytes of coded copies that nobody needs to look at
constexpr std::uint64_t kDoubtShare = 256;       // likewise where they are less than 1/share of a group
constexpr std::uint64_t kRateLeast = 4096;       // literal bytes below which their rate means nothing
constexpr std::uint64_t kUsualRatio = 8;         // bytes that then count as one coded
constexpr std::uint64_t kStreamOverhead = 6;     // bytes of tables and frame that a stream of its own takes

// How many pieces of work, in order, may be under way at a time: where any `thread_count` of them stay within most_bytes.
class Wave {
 public:
  Wave(unsigned thread_count, std::uint64_t most_bytes) : thread_count_(thread_count), most_bytes_(most_bytes) {}

  // False if one that takes so much memory has to wait for those before it.
  [[nodiscard]] bool take(std::uint64_t memory_bytes) {
    const bool first = largest_.empty();
    largest_.push(memory_bytes);
    sum_bytes_ += memory_bytes;
    if (largest_.size() > thread_count_) {
      sum_bytes_ -= largest_.top();
      largest_.pop();
    }
    return first || sum_bytes_ <= most_bytes_;
  }

 private:
  const std::size_t thread_count_;
  const std::uint64_t most_bytes_;
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> largest_;  // the least on top
  std::uint64_t sum_bytes_ = 0;
};

// for_each of the pool for bodies that can fail: the first error by index. What is under way at a time stays within
// most_bytes of memory, of which piece i takes memory_of(i).
template <class MemoryOf, class Body>
Status for_each_within(WorkerPool& pool, std::size_t count, std::uint64_t most_bytes, const MemoryOf& memory_of,
                       const Body& body) {
  std::vector<std::optional<Error>> errors(count);
  for (std::size_t begin = 0; begin < count;) {
    Wave wave(pool.thread_count(), most_bytes);
    std::size_t end = begin;
    while (end < count && wave.take(memory_of(end))) ++end;
    pool.for_each(end - begin, [&](std::size_t i) {
      if (Status status = guarded([&] { return body(begin + i); }); !status) errors[begin + i] = std::move(status).error();
    });
    begin = end;
  }
  for (std::optional<Error>& error : errors) {
    if (error) return std::move(*error);
  }
  return {};
}

constexpr std::size_t kPack = kStreamCount;         // in place of a stream
constexpr std::size_t kLight = kStreamCount + 1;      // likewise, the literals by the light model
constexpr std::size_t kFirstLane = kStreamCount + 2;  // likewise, of coded contents

// What decoding contents takes, as integers so that the choice is the same everywhere: rounded from a machine of 2026.
constexpr std::uint64_t kLiteralNs = 1700;
constexpr std::uint64_t kCopiedNs = 150;
constexpr std::uint64_t kMissNs = 2000;
constexpr std::uint64_t kTargetNs = 667;                   // for each target byte: 1.5 MB a second
constexpr std::uint64_t kFreeContentsNs = 1'500'000'000;   // however small the group is

// The light model of literals, likewise.
constexpr std::uint64_t kLightLiteralNs = 1000;            // with its share of the source that is brought in
constexpr std::uint64_t kLightFirstNs = 5'000'000;         // memory and training, with however few literals
constexpr std::uint64_t kFreeLightNs = 10'000'000;         // what takes longer has to save bytes for it

constexpr std::uint64_t kLeastLiterals = 24;               // fewer save no more than their model's part of the head
constexpr std::uint64_t kLeastMisses = 8;                  // likewise

constexpr unsigned kOpStreams = 1u << kLiteralLengths | 1u << kCopyLengths | 1u << kDiagonals;

// What of a group is worth trying in the contents coder: slow parts are not, where they are most of the group.
ContentsScope scope_to_try(const GroupDraft& draft, std::uint64_t lane_bytes) {
  const std::uint64_t literals = draft.streams[kLiterals].size();
  const std::uint64_t misses = draft.streams[kResidualValues].size();
  std::uint64_t target_bytes = 0;
  for (const WindowRecord& window : draft.windows) target_bytes += window.target_length;
  const std::uint64_t most_ns = target_bytes * kTargetNs + kFreeContentsNs;
  const std::uint64_t miss_ns = (draft.coded_bytes - literals) * kCopiedNs + misses * kMissNs;
  const bool try_misses = misses >= kLeastMisses && miss_ns <= most_ns;
  const bool try_literals = literals >= kLeastLiterals && literals * kLiteralNs + (try_misses ? miss_ns : 0) <= most_ns;
  return fitting_contents(draft, try_literals, try_misses, lane_bytes);
}

std::uint64_t light_ns_of(const GroupDraft& draft) {
  return kLightFirstNs + draft.streams[kLiterals].size() * kLightLiteralNs;
}

// Whether the light model may be tried, as it adds no more than light_ns to applying.
bool try_light(const GroupDraft& draft, std::uint64_t light_ns) {
  return draft.streams[kLiterals].size() >= kLeastLiterals && light_ns_of(draft) <= light_ns;
}

// Bytes that it must save then.
std::uint64_t light_price(const GroupDraft& draft, const WriterSettings& settings) {
  if (settings.model_byte_ns == 0) return 0;
  return (std::max(light_ns_of(draft), kFreeLightNs) - kFreeLightNs) / settings.model_byte_ns;
}

constexpr ContentsScope light_scope() {
  ContentsScope scope;
  scope.literals = scope.light = true;
  return scope;
}

// One piece of work for a thread.
struct Task {
  std::size_t group;
  std::size_t stream;
  std::size_t raw_bytes;
};

// Streams that a group of this kind has to carry, as bits.
bool carries(const GroupDraft& draft, std::size_t stream) noexcept { return (streams_of(draft.kind) >> stream & 1) != 0; }

std::vector<Task> list_tasks(const std::vector<GroupDraft>& drafts, bool model, std::vector<GroupChoices>& choices) {
  std::vector<Task> tasks;
  for (std::size_t g = 0; g < drafts.size(); ++g) {
    std::size_t number_bytes = 0;
    for (std::size_t s = 0; s < kStreamCount; ++s) {
      const std::size_t raw_bytes = drafts[g].streams[s].size();
      if (!carries(drafts[g], s)) continue;
      if (raw_bytes > 0) tasks.push_back({g, s, raw_bytes});
      if (s <= kResidualValues) number_bytes += raw_bytes;
    }
    if (model && number_bytes > 0) tasks.push_back({g, kPack, number_bytes});
    if (choices[g].light) tasks.push_back({g, kLight, drafts[g].streams[kLiterals].size()});
    for (std::size_t lane = 0; lane < choices[g].lanes.size(); ++lane) {
      const std::size_t slow_bytes = drafts[g].streams[kLiterals].size() + drafts[g].streams[kResidualValues].size();
      tasks.push_back({g, kFirstLane + lane, slow_bytes});
    }
  }
  // The longest first, so that no thread is left alone with one at the end. The result does not depend on the order.
  std::stable_sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) { return a.raw_bytes > b.raw_bytes; });
  return tasks;
}

PackedGroup pack_trial(const GroupDraft& draft, std::uint64_t most_values, Watch* watch) {
  unsigned streams = kModelStreams & streams_of(draft.kind);
  if (draft.streams[kResidualValues].size() > most_values) streams &= ~(1u << kResidualValues);
  return pack_group(draft, fitting_scope(draft, streams), watch);
}

const CodecSettings& settings_of(const WriterSettings& settings, std::size_t stream) noexcept {
  if (stream == kLiterals) return settings.literals;
  return stream == kResidualValues ? settings.values : settings.numbers;
}

std::uint64_t memory_of(const Task& task, const GroupDraft& draft, const WriterSettings& settings) {
  if (task.stream == kPack) return packer_memory_bytes(draft);
  if (task.stream >= kLight) return contents_packer_bytes(settings.literal_window_bytes);
  return encoder_memory_bytes(settings_of(settings, task.stream), task.raw_bytes);
}

// The same for choosing a group's form: it may be packed once more, or its target bytes be compressed.
std::uint64_t choice_memory(const GroupDraft& draft, const GroupChoices& made, const WriterSettings& settings) {
  const std::uint64_t packer = made.trial ? packer_memory_bytes(draft) : 0;
  if (draft.target.size() > settings.doubt_bytes) return packer;
  return std::max(packer, encoder_memory_bytes(settings.literals, draft.target.size()));
}

// What decoding takes, as integers so that the choice is the same everywhere: rounded from a machine of 2026.
constexpr std::array<std::uint64_t, kResidualValues + 1> kNumberNs = {150, 150, 150, 120, 40, 150};  // context coder
constexpr std::uint64_t kCodedByteNs = 50;      // a codec, for each byte of its own
constexpr std::uint64_t kFreeNs = 1'000'000;    // that a stream may take for however few bytes

// Nanoseconds that decoding a stream takes longer in the context coder than in its codec.
std::uint64_t extra_ns(const GroupDraft& draft, std::size_t stream, std::uint64_t codec_bytes) {
  std::uint64_t count = 0;
  if (stream == kResidualValues) {
    count = draft.streams[stream].size();
  } else {
    const bool of_run = stream >= kResidualGaps;
    for (const WindowRecord& record : draft.windows) count += of_run ? record.run_count : record.copy_count;
  }
  const std::uint64_t model_ns = count * kNumberNs[stream];
  const std::uint64_t codec_ns = kFreeNs + codec_bytes * kCodedByteNs;
  return model_ns - std::min(model_ns, codec_ns);
}

// The streams that the context coder made smaller by enough bytes for the time it takes, as bits.
unsigned winners(const GroupDraft& draft, const PackedGroup& trial, const std::vector<CodedStream>& streams,
                 const WriterSettings& settings) {
  unsigned won = 0;
  for (std::size_t s = 0; s <= kResidualValues; ++s) {
    const std::uint64_t codec_bytes = coded_bytes(streams[s]);
    const std::uint64_t price_bytes =
        settings.model_byte_ns == 0 ? 0 : extra_ns(draft, s, codec_bytes) / settings.model_byte_ns;
    const bool better = trial.cost_bytes[s] + price_bytes < codec_bytes + kStreamOverhead;
    if (trial.scope.has(s) && better) won |= 1u << s;
  }
  return won;
}

// What a stream costs in the cheaper of its forms without coded contents.
std::uint64_t stream_cost(const GroupChoices& made, std::size_t stream) noexcept {
  const std::uint64_t coded = coded_bytes(made.coded.streams[stream]);
  if (!made.trial || !made.trial->scope.has(stream)) return coded;
  return std::min(coded, made.trial->cost_bytes[stream]);
}

// The same with coded contents, once it is known what of them is worthwhile.
std::uint64_t cost_of(const GroupChoices& made, std::size_t stream) noexcept {
  const bool in_lanes = stream == kLiterals ? made.lanes_scope.literals : stream >= kResidualGaps && made.lanes_scope.misses;
  const std::uint64_t cost = !made.lanes.empty() && in_lanes ? made.lanes_bytes[stream] : stream_cost(made, stream);
  return stream == kLiterals && made.light ? std::min(cost, made.light->cost_bytes[stream]) : cost;
}

// Copies are worth their streams if these take less than half of what the copied bytes would, coded at the rate of the
// group's literals: half, because what OLD holds as well is often the part that repeats itself and codes best. Where most
// is literal less than an eighth: there copies also break up what the codec would otherwise see whole.
bool in_doubt(const GroupDraft& draft, const GroupChoices& made, const WriterSettings& settings) noexcept {
  if (settings.literal_window_bytes == 0 || draft.target.empty()) return false;
  if (draft.target.size() > settings.doubt_bytes) return false;
  std::uint64_t copy_cost = 0;
  for (std::size_t s = 0; s < kLiterals; ++s) copy_cost += cost_of(made, s);
  std::uint64_t raw = draft.streams[kLiterals].size();
  std::uint64_t cost = cost_of(made, kLiterals);
  const std::uint64_t copied_bytes = draft.target.size() - raw;
  if (copy_cost < kDoubtLeast) return false;
  const std::uint64_t margin = raw > copied_bytes ? 8 : 2;
  if (margin == 2 && copy_cost < (copy_cost + cost) / kDoubtShare) return false;
  if (raw < kRateLeast) {  // too few literals to know a rate
    raw = kUsualRatio;
    cost = 1;
  }
  return margin * copy_cost * raw > copied_bytes * cost;
}

Status try_literals(GroupDraft& draft, const WriterSettings& settings, WorkerPool& pool, GroupChoices& made) {
  const Span span(pool.timeline(), PhaseId::kCompress, kLiterals, draft.target.size());
  BDELTA_ASSIGN(CodedStream literals, compress_stream(draft.target, settings.literals, {pool.watch(), nullptr}));
  std::uint64_t before = 0;
  for (std::size_t s = 0; s < kStreamCount; ++s) before += cost_of(made, s);
  if (coded_bytes(literals) >= before) return {};
  draft.windows = literal_windows(draft.target, 0, draft.target.size(), settings.literal_window_bytes);
  draft.streams = {};
  draft.streams[kLiterals].assign(draft.target.begin(), draft.target.end());
  made.coded = {};
  made.coded.streams[kLiterals] = std::move(literals);
  made.trial.reset();
  made.lanes.clear();
  made.light.reset();
  return {};
}

// Drops the trial or makes it the group's packed form, whichever gives fewer bytes in the patch. Streams that are
// smaller packed, but take too long for it, are not.
void assemble_smallest(const GroupDraft& draft, const WriterSettings& settings, Watch* watch, GroupChoices& made) {
  made.group = assemble_group(draft.kind, draft.windows, made.coded);
  const unsigned won = made.trial ? winners(draft, *made.trial, made.coded.streams, settings) : 0;
  if (won == 0) return;
  if (won != made.trial->scope.streams) made.trial = pack_group(draft, fitting_scope(draft, won), watch);
  std::swap(made.coded.packed, made.trial);
  CodedGroup packed = assemble_group(draft.kind, draft.windows, made.coded);
  if (packed.body.size() < made.group.body.size()) {
    made.group = std::move(packed);
  } else {
    made.coded.packed.reset();
  }
}

// What of the contents is smaller coded than as streams; the lanes have that and no more afterwards.
Status keep_worthwhile_contents(const GroupDraft& draft, const ContentsInputs& inputs, Watch* watch, GroupChoices& made) {
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

// The numbers of ops packed alone, where that is smaller: what is left of a packed group whose misses are coded.
std::optional<PackedGroup> pack_ops(const GroupDraft& draft, const WriterSettings& settings, Watch* watch,
                                    const std::vector<CodedStream>& streams) {
  GroupDraft ops = covers_of(draft);
  ops.kind = draft.kind;
  if ((streams_of(draft.kind) & kOpStreams) == 0) return std::nullopt;
  PackedGroup packed = pack_group(ops, fitting_scope(ops, kOpStreams), watch);
  const unsigned won = winners(ops, packed, streams, settings);
  if (won == 0) return std::nullopt;
  if (won != packed.scope.streams) packed = pack_group(ops, fitting_scope(ops, won), watch);
  return packed;
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

void assemble_with_contents(const GroupDraft& draft, const WriterSettings& settings, Watch* watch, GroupChoices& made) {
  if (made.lanes.empty() && !made.light) return;
  const CodedStreams plain = made.coded;
  if (!made.lanes.empty()) assemble_contents(draft, made.lanes_scope, made.lanes, plain, 0, settings, watch, made);
  if (!made.light) return;
  // Where slow contents are allowed, time is no price.
  const std::uint64_t price = settings.contents ? 0 : light_price(draft, settings);
  assemble_contents(draft, light_scope(), {std::move(*made.light)}, plain, price, settings, watch, made);
}

// Notes what each stream has of the group, and lets go of all that went into it.
void finish_choice(GroupChoices& made) {
  for (std::size_t s = 0; s < kStreamCount; ++s) {
    const bool packed = made.coded.packed && made.coded.packed->scope.has(s);
    made.coded_bytes[s] = packed ? made.coded.packed->cost_bytes[s] : coded_bytes(made.coded.streams[s]);
    if (made.coded.contents && code_stream(*made.coded.contents) == s) made.coded_bytes[s] = 0;
    made.coded_bytes[s] += made.contents_bytes[s];
  }
  made.coded = {};
  made.trial.reset();
  made.lanes.clear();
  made.light.reset();
}

// The streams of all groups.
Status compress(const std::vector<GroupDraft>& drafts, const WriterSettings& settings, const ContentsInputs& inputs,
                FrameBudget& budget, WorkerPool& pool, std::vector<GroupChoices>& choices) {
  for (std::size_t g = 0; g < drafts.size(); ++g) {
    if (!inputs.source || drafts[g].kind == GroupKind::kCovers) continue;
    if (try_light(drafts[g], settings.light_ns)) choices[g].light.emplace();
    if (!settings.contents) continue;
    choices[g].lanes_scope = scope_to_try(drafts[g], settings.lane_bytes);
    if (choices[g].lanes_scope.literals || choices[g].lanes_scope.misses) {
      choices[g].lanes.resize(choices[g].lanes_scope.lane_count);
    }
  }
  const std::vector<Task> tasks = list_tasks(drafts, settings.model, choices);
  const auto memory = [&](std::size_t i) { return memory_of(tasks[i], drafts[tasks[i].group], settings); };
  return for_each_within(pool, tasks.size(), settings.codec_bytes, memory, [&](std::size_t i) -> Status {
    const Task& task = tasks[i];
    const GroupDraft& draft = drafts[task.group];
    const Span span(pool.timeline(), PhaseId::kCompress, task.stream, task.raw_bytes);
    if (task.stream == kPack) {
      choices[task.group].trial = pack_trial(draft, settings.model_values, pool.watch());
      return {};
    }
    if (task.stream == kLight) {
      BDELTA_ASSIGN(choices[task.group].light, pack_lane(draft, light_scope(), 0, inputs, pool.watch()));
      return {};
    }
    if (task.stream >= kFirstLane) {
      const auto lane = static_cast<unsigned>(task.stream - kFirstLane);
      BDELTA_ASSIGN(choices[task.group].lanes[lane],
                    pack_lane(draft, choices[task.group].lanes_scope, lane, inputs, pool.watch()));
      return {};
    }
    // Literals are needed whatever becomes of a group's copies, so they alone are spent before that is settled.
    const CompressContext context{pool.watch(), task.stream == kLiterals ? &budget : nullptr};
    BDELTA_ASSIGN(choices[task.group].coded.streams[task.stream],
                  compress_stream(draft.streams[task.stream], settings_of(settings, task.stream), context));
    return {};
  });
}

}  // namespace

Status choose_groups(std::vector<GroupDraft>& drafts, const WriterSettings& settings, const ContentsInputs& inputs,
                     FrameBudget& budget, WorkerPool& pool, std::vector<GroupChoices>& choices) {
  BDELTA_TRY(compress(drafts, settings, inputs, budget, pool, choices));
  const auto memory = [&](std::size_t g) { return choice_memory(drafts[g], choices[g], settings); };
  return for_each_within(pool, drafts.size(), settings.codec_bytes, memory, [&](std::size_t g) -> Status {
    BDELTA_TRY(keep_worthwhile_contents(drafts[g], inputs, pool.watch(), choices[g]));
    // Groups where nothing matches but by chance are smaller without their copies.
    if (in_doubt(drafts[g], choices[g], settings)) BDELTA_TRY(try_literals(drafts[g], settings, pool, choices[g]));
    const Span span(pool.timeline(), PhaseId::kCompress, g);
    assemble_smallest(drafts[g], settings, pool.watch(), choices[g]);
    assemble_with_contents(drafts[g], settings, pool.watch(), choices[g]);
    finish_choice(choices[g]);
    return {};
  });
}

}  // namespace bdelta::native
