// The account of memory.
//
// Two kinds of memory add up. What stays as long as the covers are sought and coded: inputs that are neither mapped nor
// gathered, the index of the source, the covers of one segment. And what comes and goes, of which only the largest
// counts: a pass over the segment, groups on their way through the codec, or the self-check at the end.
//
// Shares of the limit decide all that has an effect on the patch, reckoned for a small, fixed number of workers; the
// most that each part can take is a multiple of its share. More threads work only where there is room for what each
// of them needs. Nothing here looks at the machine.
#include "create/budget.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "format/native/compress_probe.hpp"
#include "match/source_grams.hpp"
#include "model/contents_packer.hpp"
#include "model/window_packer.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// Program, stacks of threads, buffers of files, and what an allocator keeps back.
constexpr std::uint64_t kFixedBytes = 7 * kMiB;
constexpr std::uint64_t kThreadBytes = kMiB / 2;
constexpr std::uint64_t kScanWorkerBytes = kMiB;           // local table and samples
constexpr std::uint64_t kParseNodeBytes = 5 * kMiB;        // nodes of a parse, and …
constexpr std::uint64_t kParseNodeRatio = 4;               // … as much more for each byte of a chunk
constexpr std::uint64_t kIndexPieceBytes = 8 * kMiB;       // samples on their way into the index
constexpr std::uint64_t kBytesPerCover = 64;               // of target; beyond that the search ends for a chunk
constexpr std::uint64_t kCoverLists = 2;                   // bytes of covers, in bytes of a segment
constexpr std::uint64_t kDraftCopies = 8;                  // groups in flight with all that is made of them, in drafts
constexpr std::uint64_t kPackCopies = 2;                   // likewise, codes of the context coder
constexpr std::uint64_t kWindowJobBytes = 4 * kMiB;        // ops and runs of a window in the self-check
constexpr std::uint64_t kReaderBytes = 8 * kMiB;           // frames and streams of a window there
constexpr std::uint64_t kMostAnchorBytes = 128 * kMiB;     // filter and table of the anchors of a parse
constexpr std::uint64_t kUsualBytesPerCover = 300;         // for the estimate without a limit
constexpr std::uint64_t kSampleBytes = 40;                 // samples while building, and their share of the table

constexpr std::uint64_t kFreeSegment = 1024 * kMiB;        // without a limit
constexpr std::uint64_t kFreeIndex = 2048 * kMiB;
constexpr std::uint64_t kFreeBatch = 256 * kMiB;
constexpr std::uint64_t kFreeSpool = 16 * kMiB;
constexpr unsigned kMaxShift = 20;
constexpr std::uint64_t kContentsLeastLimit = 256 * kMiB;  // below, the models of contents take too much of a limit
constexpr std::uint64_t kLoadedLeavesBytes = 60 * kMiB;
constexpr std::uint64_t kAmpleCopies = 4;                  // of both files that work without a limit takes at most
// The same of files that hardly differ, in quarters: copies of both without what is left out or moved, and with programs
// those in which addresses are masked, what a miss in them costs, and fields. And of what differs.
constexpr std::uint64_t kSimilarQuarters = 5;
constexpr std::uint64_t kProgramQuarters = 9;
constexpr std::uint64_t kChangedCopies = 8;
constexpr std::uint64_t kTypeCopies = 6;                   // votes on numbers, types by their hashes, steps

// Everything that decides about the patch under a limit; shares of what is left for it.
struct Shares {
  std::uint64_t index = 0;
  std::uint64_t segment = 0;
  std::uint64_t draft = 0;
  std::uint64_t anchors = 0;  // of a parse
  std::uint64_t grams = 0;   // of a worker's
};

std::uint64_t codec_bytes_for(const LevelSettings& settings, std::uint64_t stream_bytes) {
  std::uint64_t most = 0;
  for (const CodecSettings* codec : {&settings.numbers, &settings.values, &settings.literals}) {
    most = std::max(most, native::codec_memory_bytes(*codec, stream_bytes));
  }
  return most;
}

std::uint64_t largest_window(const LevelSettings& settings) {
  return std::max(settings.window_bytes, settings.calm_window_bytes);
}

bool codes_contents(const LevelSettings& settings) {
  return settings.contents || settings.light_ns > 0 || settings.miss_byte_ns > 0;
}

// What one compressor, or the context coder, takes at most for a stream of so many bytes.
std::uint64_t coder_bytes_for(const LevelSettings& settings, std::uint64_t stream_bytes) {
  std::uint64_t codec_bytes = codec_bytes_for(settings, stream_bytes);
  if (codes_contents(settings)) codec_bytes = std::max(codec_bytes, contents_packer_bytes(largest_window(settings)));
  return settings.model ? std::max(codec_bytes, packer_memory_bytes(largest_window(settings))) : codec_bytes;
}

std::uint64_t worker_bytes(const Budget& budget) {
  if (!budget.settings.match.parse) return kScanWorkerBytes;
  return SourceGrams::memory_bytes(budget.match.gram_blocks) + kParseNodeBytes +
         kParseNodeRatio * budget.match.chunk_bytes;
}

std::uint64_t heap_bytes(const BudgetRequest& request, const Budget& budget) {
  return (budget.source_whole && !request.source_view ? request.source_size : 0) +
         (budget.target_whole && !request.target_view ? request.target_size : 0);
}

// The table for the samples of `size` bytes; a larger `shift` where it would be larger than most_bytes.
std::uint64_t fit_index(std::uint64_t size, std::uint64_t most_bytes, unsigned& shift) {
  const auto needed = [&] {
    return std::bit_ceil(std::max<std::uint64_t>(16, (size >> shift) / 2)) * SourceIndex::kBucketBytes;
  };
  while (shift < kMaxShift && needed() > most_bytes) ++shift;
  return std::min(needed(), most_bytes);
}

// What `budget` takes at most with so many threads, one compressor at a time.
std::uint64_t account(const BudgetRequest& request, const Budget& budget, unsigned threads) {
  const std::uint64_t segment = std::min(budget.segment_bytes, request.target_size);
  const std::uint64_t window = std::min(largest_window(budget.settings), request.target_size);
  std::uint64_t held = kFixedBytes + budget.spool_bytes + (threads - 1) * kThreadBytes + heap_bytes(request, budget);
  std::uint64_t pass = kIndexPieceBytes;
  std::uint64_t search = budget.match.index_bytes + kCoverLists * segment;
  if (!budget.target_whole) search += segment;
  if (!budget.source_whole) search += budget.gathered_bytes + budget.survey_bytes;
  const std::uint64_t anchors = budget.settings.match.parse ? budget.match.anchor_bytes : 0;
  pass = std::max(pass, anchors + threads * worker_bytes(budget));
  const std::uint64_t copies = kDraftCopies + (budget.settings.model ? kPackCopies : 0);
  const std::uint64_t coding = copies * budget.draft_bytes + coder_bytes_for(budget.settings, budget.draft_bytes);
  const std::uint64_t jobs = threads == 1 ? 2 : threads + 2;
  const std::uint64_t model = budget.settings.model ? packer_memory_bytes(window) : 0;
  const std::uint64_t lanes = codes_contents(budget.settings) ? contents_memory_bytes(kLargestContents) : 0;
  const std::uint64_t check = jobs * (3 * window + kWindowJobBytes) + kReaderBytes + 3 * budget.draft_bytes + model + lanes;
  return held + std::max(search + std::max(pass, coding), request.verify ? check : 0);
}

// Inputs that are not mapped are loaded if that leaves half of the limit and enough for any level, or if they hardly
// count; else they are read in parts.
void choose_loading(const BudgetRequest& request, Budget& budget) {
  const std::uint64_t spare = request.limit_bytes - std::min(request.limit_bytes, kLoadedLeavesBytes);
  const std::uint64_t most = std::max(std::min(request.limit_bytes / 2, spare), request.limit_bytes / 16);
  const std::uint64_t source = request.source_view ? 0 : request.source_size;
  const std::uint64_t target = request.target_view ? 0 : request.target_size;
  const bool both = source <= most && target <= most - source;
  budget.source_whole = request.source_view || both;
  budget.target_whole = request.target_view || both;
}

// Trying several sets of covers keeps all of them, and the streams of one more, beside what is kept anyway: not under a
// limit.
LevelSettings settings_for(const BudgetRequest& request) {
  LevelSettings settings = level_settings(request.level);
  ParseParams& parse = settings.match.parse_params;
  if (request.limit_bytes != 0) {
    parse.costs.resize(1);
    parse.little_costs.resize(std::min<std::size_t>(parse.little_costs.size(), 1));
    parse.text_costs.resize(std::min<std::size_t>(parse.text_costs.size(), 1));
    parse.dense_costs.clear();
    if (settings.model_target_share != 0) settings.model = false;  // fast levels leave its memory to the search
    settings.light_ns = 0;
    settings.miss_byte_ns = 0;
    settings.calm_window_bytes = 0;
  }
  if (request.limit_bytes != 0 && request.limit_bytes < kContentsLeastLimit) settings.contents = false;
  return settings;
}

void apply_shares(const BudgetRequest& request, const Shares& shares, Budget& budget) {
  budget.settings = settings_for(request);
  LevelSettings& settings = budget.settings;
  budget.segment_bytes = shares.segment;
  budget.match.chunk_bytes = std::clamp(shares.segment / 4, kMiB / 2, 8 * kMiB);
  budget.match.near_only = request.target_size > shares.segment;
  budget.match.bytes_per_cover = kBytesPerCover;
  budget.match.anchor_bytes = std::min(shares.anchors, kMostAnchorBytes);
  budget.match.gram_blocks = static_cast<std::size_t>(
      std::min<std::uint64_t>(ParseScope().gram_blocks, shares.grams / SourceGrams::memory_bytes(1)));
  unsigned& shift = settings.match.sample_shift;
  if (!budget.source_whole) {
    budget.gathered_bytes = 2 * shares.segment;
    budget.survey_shift = shift;
    budget.survey_bytes = fit_index(request.source_size, shares.index, budget.survey_shift);
  }
  const std::uint64_t indexed_bytes = budget.source_whole ? request.source_size : budget.gathered_bytes;
  budget.match.index_bytes = fit_index(indexed_bytes, shares.index, shift);

  settings.window_bytes = std::min(settings.window_bytes, std::max(shares.draft / 2, kMiB / 4));
  budget.draft_bytes = std::min(shares.draft, settings.group_bytes);
  budget.plan_bytes = budget.draft_bytes / 2;
  budget.batch_bytes = 2 * budget.draft_bytes;
  const auto draft_log = static_cast<unsigned>(std::bit_width(budget.draft_bytes - 1));
  for (CodecSettings* codec : {&settings.numbers, &settings.values, &settings.literals}) {
    codec->max_window_log = std::min(codec->max_window_log, draft_log);
  }
  budget.spool_bytes = std::min(kFreeSpool, shares.draft / 2);
}

// What looks at both files as a whole has one segment, and their memory several times.
bool is_one_segment(const BudgetRequest& request) {
  return std::max(request.source_size, request.target_size) <= kFreeSegment;
}

Budget without_limit(const BudgetRequest& request) {
  Budget budget;
  budget.ample = is_one_segment(request);
  budget.settings = settings_for(request);
  budget.segment_bytes = kFreeSegment;
  budget.match.near_only = request.target_size > kFreeSegment;
  unsigned& shift = budget.settings.match.sample_shift;
  while ((request.source_size >> shift) * kSampleBytes > kFreeIndex) ++shift;
  budget.plan_bytes = budget.settings.group_bytes;
  budget.batch_bytes = std::max(kFreeBatch, budget.settings.group_bytes);
  budget.draft_bytes = ~std::uint64_t{0};
  budget.codec_bytes = ~std::uint64_t{0};
  budget.spool_bytes = kFreeSpool;
  budget.threads = request.threads;

  // The estimate: a tenth of the target in streams, covers of usual density.
  const std::uint64_t segment = std::min(kFreeSegment, request.target_size);
  const std::uint64_t batch = std::min(budget.batch_bytes, request.target_size);
  const std::uint64_t stream = std::min(budget.settings.group_bytes, request.target_size) / 4;
  const std::uint64_t anchors = budget.settings.match.parse ? std::min(kMostAnchorBytes, segment) : 0;
  const std::uint64_t search = (request.source_size >> shift) * kSampleBytes + segment / kUsualBytesPerCover * 96;
  const std::uint64_t pass = anchors + request.threads * worker_bytes(budget);
  const std::uint64_t coding = batch / 2 + request.threads * coder_bytes_for(budget.settings, stream);
  budget.needed_bytes = kFixedBytes + kFreeSpool + heap_bytes(request, budget) + search + std::max(pass, coding);
  return budget;
}

// What work without a limit takes at most.
struct FreeWork {
  std::uint64_t bytes = 0;        // that grow with the files
  std::uint64_t coder_bytes = 0;  // of a compressor, or the context coder
};

// Of any files: measured over programs, texts and files that share nothing, and rounded up.
FreeWork free_work(const BudgetRequest& request, const Budget& budget) {
  return {kAmpleCopies * (request.source_size + request.target_size),
          coder_bytes_for(budget.settings, std::min(budget.settings.group_bytes, request.target_size))};
}

// Of files that are alike: measured as well, on pairs of 20 to 290 MB of which it is 1.4 to 7 times what was taken. What
// a level finds to differ is less than what a fast search does, but for some of it.
FreeWork free_work(const BudgetRequest& request, const Budget& budget, const Likeness& likeness) {
  const std::uint64_t changed_bytes = likeness.changed_bytes;
  const std::uint64_t stream = std::min(budget.settings.group_bytes, changed_bytes + changed_bytes / 4 + kMiB);
  const std::uint64_t quarters = likeness.has_programs ? kProgramQuarters : kSimilarQuarters;
  return {quarters * (request.source_size + request.target_size) / 4 + kChangedCopies * changed_bytes +
              kTypeCopies * likeness.type_bytes,
          coder_bytes_for(budget.settings, stream)};
}

// One compressor at a time.
std::uint64_t most_without_limit(const BudgetRequest& request, const Budget& budget, const FreeWork& work,
                                 unsigned threads) {
  const std::uint64_t anchors = budget.settings.match.parse ? std::min(kMostAnchorBytes, request.target_size) : 0;
  return kFixedBytes + kFreeSpool + heap_bytes(request, budget) + anchors + work.bytes +
         threads * (kThreadBytes + worker_bytes(budget)) + work.coder_bytes;
}

Budget free_budget(const BudgetRequest& request) {
  BudgetRequest free = request;
  free.limit_bytes = 0;
  return without_limit(free);
}

// Under a limit that leaves room for everything: then the patch is that of no limit.
std::optional<Budget> within_ample_limit(const BudgetRequest& request, Budget budget, const FreeWork& work) {
  const auto most = [&](unsigned threads) { return most_without_limit(request, budget, work, threads); };
  if (!is_one_segment(request) || most(1) > request.limit_bytes) return std::nullopt;
  budget.threads = 1;
  while (budget.threads < request.threads && most(budget.threads + 1) <= request.limit_bytes) ++budget.threads;
  budget.needed_bytes = most(budget.threads);
  budget.codec_bytes = work.coder_bytes + request.limit_bytes - budget.needed_bytes;
  return budget;
}

}  // namespace

Result<Budget> make_budget(const BudgetRequest& request) {
  if (request.limit_bytes == 0) return without_limit(request);
  Budget budget = free_budget(request);
  if (auto ample = within_ample_limit(request, budget, free_work(request, budget))) return std::move(*ample);
  budget = {};
  budget.ample = false;
  choose_loading(request, budget);
  const std::uint64_t heap = heap_bytes(request, budget);
  const bool in_parts = !budget.source_whole || !budget.target_whole;
  const std::uint64_t left = std::max(request.limit_bytes - heap, 16 * kMiB);
  Shares shares;
  shares.index = std::bit_floor(left / (budget.source_whole ? 4 : 8));
  shares.segment = std::clamp(std::bit_floor(left / (in_parts ? 32 : 16)), kMiB, kFreeSegment);
  shares.draft = std::max(std::bit_floor(left / 32), kMiB);
  shares.anchors = std::max(std::bit_floor(left / 8), 4 * kMiB);
  shares.grams = std::max(std::bit_floor(left / 32), kMiB);

  // What is too much gives way by halves, in turn.
  const unsigned planned_threads = request.limit_bytes >= 256 * kMiB ? 2 : 1;
  for (unsigned turn = 0;; ++turn) {
    apply_shares(request, shares, budget);
    budget.needed_bytes = account(request, budget, planned_threads);
    if (budget.needed_bytes <= request.limit_bytes) break;
    const bool least = shares.index <= kMiB && shares.segment <= kMiB && shares.draft <= kMiB;
    if (least) {
      return Error{ErrorCode::kMemoryLimit,
                   "at least " + std::to_string(budget.needed_bytes) + " bytes are needed here, the limit is " +
                       std::to_string(request.limit_bytes) + "; raise it with --memory, or try a lower level"};
    }
    std::uint64_t& share = turn % 3 == 0 ? shares.index : turn % 3 == 1 ? shares.draft : shares.segment;
    share = std::max(share / 2, kMiB);
  }
  budget.threads = 1;
  while (budget.threads < request.threads && account(request, budget, budget.threads + 1) <= request.limit_bytes) {
    ++budget.threads;
  }
  budget.needed_bytes = account(request, budget, budget.threads);
  budget.codec_bytes = coder_bytes_for(budget.settings, budget.draft_bytes) + request.limit_bytes - budget.needed_bytes;
  return budget;
}

std::optional<Budget> budget_for_similar(const BudgetRequest& request, const Likeness& likeness) {
  const Budget budget = free_budget(request);
  return within_ample_limit(request, budget, free_work(request, budget, likeness));
}

}  // namespace bdelta
