#include "format/native/group_choice.hpp"

#include <algorithm>

#include "base/deciding/coding.hpp"
#include "base/try.hpp"
#include "format/native/apply_price.hpp"
#include "format/native/compress_probe.hpp"
#include "format/native/modelled_choice.hpp"
#include "format/native/group_tasks.hpp"
#include "format/native/layout.hpp"
#include "format/native/packed_choice.hpp"
#include "parallel/within.hpp"

namespace bdelta::native {
namespace {

// The same for choosing a group's form: it may be packed once more, or its target bytes be compressed.
std::uint64_t choice_memory(const GroupDraft& draft, const GroupChoices& made, const WriterSettings& settings) {
  const std::uint64_t packer = made.trial ? packer_memory_bytes(draft) : 0;
  if (draft.target.size() > settings.doubt_bytes) return packer;
  return std::max(packer, codec_memory_bytes(settings.literals, draft.target.size()));
}

// Copies are worth their streams if these take less than half of what the copied bytes would, coded at the rate of the
// group's literals. It is half because what OLD holds as well is often the part that repeats itself and codes best. Where
// most is literal less than an eighth: there copies also break up what the codec would otherwise see whole.
bool in_doubt(const GroupDraft& draft, const GroupChoices& made, const WriterSettings& settings) noexcept {
  if (settings.window_bytes == 0 || draft.target.empty()) return false;
  if (draft.target.size() > settings.doubt_bytes) return false;
  std::uint64_t copy_cost = 0;
  for (std::size_t s = 0; s < kLiterals; ++s) copy_cost += cost_of(draft, made, s);
  std::uint64_t raw = draft.streams[kLiterals].size();
  std::uint64_t cost = cost_of(draft, made, kLiterals);
  const std::uint64_t copied_bytes = draft.target.size() - raw;
  if (copy_cost < kDoubtLeastBytes) return false;
  const std::uint64_t margin = raw > copied_bytes ? kLiteralMargin : kCopiedMargin;
  if (margin == kCopiedMargin && copy_cost < (copy_cost + cost) / kDoubtShare) return false;
  if (raw < kLeastRateBytes) {  // too few literals to know a rate
    raw = kUsualRatio;
    cost = 1;
  }
  return margin * copy_cost * raw > copied_bytes * cost;
}

Result<std::uint64_t> quick_size(ByteSpan raw, Watch* watch) {
  BDELTA_ASSIGN(const CodedStream coded, compress_stream(raw, kQuickCodec, {watch, nullptr, false}));
  return coded_bytes(coded);
}

// Whether the target bytes of the group, through its slow codec, will take clearly more than `before`. That codec makes
// of what the quick one leaves of them about as much as of what it leaves of the literals.
Result<bool> is_hopeless(const GroupDraft& draft, const WriterSettings& settings, const GroupChoices& made,
                         std::uint64_t before, Watch* watch) {
  const Bytes& literals = draft.streams[kLiterals];
  if (settings.literals.id != CodecId::kLzma || literals.size() < kLeastForecastBytes) return false;
  BDELTA_ASSIGN(const std::uint64_t quick_literals, quick_size(literals, watch));
  BDELTA_ASSIGN(const std::uint64_t quick_target, quick_size(draft.target, watch));
  const std::uint64_t slow_literals = coded_bytes(made.coded.streams[kLiterals]);
  return quick_target * slow_literals / quick_literals > before + before / kForecastShare;
}

Status try_literals(GroupDraft& draft, const WriterSettings& settings, WorkerPool& pool, GroupChoices& made) {
  const Span span(pool.timeline(), PhaseId::kCompress, kLiterals, draft.target.size());
  std::uint64_t before = 0;
  for (std::size_t s = 0; s < kStreamCount; ++s) before += cost_of(draft, made, s);
  BDELTA_ASSIGN(const bool hopeless, is_hopeless(draft, settings, made, before, pool.watch()));
  if (hopeless) return {};
  BDELTA_ASSIGN(CodedStream literals, compress_stream(draft.target, settings.literals, {pool.watch(), nullptr}));
  if (coded_bytes(literals) >= before) return {};
  draft.windows = literal_windows(draft.target, 0, draft.target.size(), settings.window_bytes);
  draft.copies_target = false;
  draft.history_bytes = 0;
  draft.streams = {};
  draft.streams[kLiterals].assign(draft.target.begin(), draft.target.end());
  made.coded = {};
  made.coded.streams[kLiterals] = std::move(literals);
  made.trial.reset();
  made.modelled.lanes.clear();
  return {};
}

// Notes what each stream has of the group, and lets go of all that went into it.
void finish_choice(const GroupDraft& draft, GroupChoices& made) {
  for (std::size_t s = 0; s < kStreamCount; ++s) {
    made.raw_bytes[s] = draft.streams[s].size();
    const bool packed = made.coded.packed && made.coded.packed->scope.has(s);
    made.coded_bytes[s] = packed ? made.coded.packed->cost_bytes[s] : coded_bytes(made.coded.streams[s]);
    made.coded_bytes[s] += made.modelled_bytes[s];
  }
  made.apply_ns = choice_ns(draft, made);
  made.coded = {};
  made.trial.reset();
  made.modelled.lanes.clear();
}

Result<CodedStream> smallest_stream(ByteSpan raw, const CodecSettings& settings, const CompressContext& context) {
  BDELTA_ASSIGN(CodedStream coded, compress_stream(raw, settings, context));
  if (raw.size() > kFewCodedBytes) return coded;
  for (const int level : kLevelsOfFew) {
    if (settings.id == CodecId::kZstd && settings.level <= level) continue;
    BDELTA_ASSIGN(CodedStream other, compress_stream(raw, {CodecId::kZstd, level, 0}));
    if (coded_bytes(other) < coded_bytes(coded)) coded = std::move(other);
  }
  return coded;
}

Status do_task(const Task& task, const GroupDraft& draft, const WriterSettings& settings, const ModelledInputs& inputs,
               FrameBudget& budget, WorkerPool& pool, GroupChoices& made) {
  const Span span(pool.timeline(), PhaseId::kCompress, task.stream, task.raw_bytes);
  if (task.stream == kPack) {
    made.trial = pack_trial(draft, trial_streams(draft, made, settings), pool.watch());
    return {};
  }
  if (task.stream >= kFirstLane) {
    const auto lane = static_cast<unsigned>(task.stream - kFirstLane);
    BDELTA_ASSIGN(made.modelled.lanes[lane], pack_lane(draft, made.modelled.scope, lane, inputs, pool.watch()));
    return {};
  }
  // Literals are needed whatever becomes of a group's copies, so they alone are spent before that is settled.
  const CompressContext context{pool.watch(), task.stream == kLiterals ? &budget : nullptr, !task.quick};
  const CodecSettings& codec = task.quick ? kQuickCodec : settings_of(settings, task.stream);
  BDELTA_ASSIGN(made.coded.streams[task.stream], smallest_stream(draft.streams[task.stream], codec, context));
  return {};
}

// Literals that are known go into their groups, the others into the cache.
Status share_literals(const std::vector<GroupDraft>& drafts, FrameBudget& budget, Watch* watch, LiteralCache& cache,
                      std::vector<GroupChoices>& choices) {
  for (std::size_t g = 0; g < drafts.size(); ++g) {
    CodedStream& literals = choices[g].coded.streams[kLiterals];
    if (!cache.knows(g)) {
      cache.keep(g, literals);
      continue;
    }
    literals = cache.get(g);
    const std::size_t raw_bytes = drafts[g].streams[kLiterals].size();
    if (watch) watch->advance(raw_bytes);
    BDELTA_TRY(budget.spend(std::min<std::uint64_t>(raw_bytes, coded_bytes(literals))));
  }
  return {};
}

// The streams of all groups. Where the model of misses or the context coder is far ahead of a fast codec, slow ones
// are not tried. They would not come near, and they take most of the time.
Status compress(const std::vector<GroupDraft>& drafts, const WriterSettings& settings, const ModelledInputs& inputs,
                FrameBudget& budget, LiteralCache& cache, WorkerPool& pool, std::vector<GroupChoices>& choices) {
  for (std::size_t g = 0; g < drafts.size(); ++g) {
    if (!inputs.source || drafts[g].kind == GroupKind::kCovers) continue;
    choices[g].modelled.scope = scope_to_try(drafts[g], settings);
  }
  const auto run = [&](const std::vector<Task>& tasks) {
    const auto memory = [&](std::size_t i) { return memory_of(tasks[i], drafts[tasks[i].group], settings); };
    return for_each_within(pool, tasks.size(), settings.codec_bytes, memory, [&](std::size_t i) {
      const Task& task = tasks[i];
      return do_task(task, drafts[task.group], settings, inputs, budget, pool, choices[task.group]);
    });
  };
  const std::vector<Task> tasks = list_first_tasks(drafts, settings, cache, choices);
  BDELTA_TRY(run(tasks));
  BDELTA_TRY(share_literals(drafts, budget, pool.watch(), cache, choices));
  for (std::size_t g = 0; g < drafts.size(); ++g) {
    leave_out_hopeless_misses(drafts[g], settings, choices[g]);
    TriedModels& tried = choices[g].modelled;
    if (tried.scope.literals || tried.scope.misses) tried.lanes.resize(tried.scope.lane_count);
  }
  BDELTA_TRY(run(list_lanes(drafts, choices)));
  for (std::size_t g = 0; g < drafts.size(); ++g) {
    choices[g].misses_settled = are_misses_far_ahead(drafts[g], settings, choices[g]);
  }
  BDELTA_TRY(run(list_late_trials(drafts, settings, choices)));
  return run(list_open_tasks(tasks, drafts, settings, choices));
}

}  // namespace

Status choose_groups(std::vector<GroupDraft>& drafts, const WriterSettings& settings, const ModelledInputs& inputs,
                     FrameBudget& budget, LiteralCache& cache, WorkerPool& pool, std::vector<GroupChoices>& choices) {
  const bool is_slow = settings.literals.id == CodecId::kLzma;
  const bool unlimited = settings.codec_bytes == ~std::uint64_t{0};
  cache.begin(is_slow && unlimited ? drafts : std::vector<GroupDraft>());
  BDELTA_TRY(compress(drafts, settings, inputs, budget, cache, pool, choices));
  const auto memory = [&](std::size_t g) { return choice_memory(drafts[g], choices[g], settings); };
  return for_each_within(pool, drafts.size(), settings.codec_bytes, memory, [&](std::size_t g) -> Status {
    BDELTA_TRY(keep_worthwhile_models(drafts[g], settings, inputs, pool.watch(), choices[g]));
    // Groups where nothing matches but by chance are smaller without their copies.
    if (in_doubt(drafts[g], choices[g], settings)) BDELTA_TRY(try_literals(drafts[g], settings, pool, choices[g]));
    const Span span(pool.timeline(), PhaseId::kCompress, g);
    assemble_smallest(drafts[g], settings, pool.watch(), choices[g]);
    BDELTA_TRY(assemble_with_models(drafts[g], settings, pool.watch(), choices[g]));
    finish_choice(drafts[g], choices[g]);
    return {};
  });
}

}  // namespace bdelta::native
