// The account of memory.
//
// Two kinds of memory add up. What stays as long as the covers are sought and coded: inputs that are neither mapped nor
// gathered, the index of the source, the covers of one segment. And what comes and goes, of which only the largest
// counts: a pass over the segment, groups on their way through the codec, or the self-check at the end.
//
// Shares of the limit decide all that has an effect on the patch. They are reckoned for a small, fixed number of
// workers. The most that each part can take is a multiple of its share. More threads work only where there is room
// for what each of them needs. Nothing here looks at the machine.
#include "create/budget.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "base/memory_limit.hpp"
#include "create/budget_parts.hpp"
#include "model/window_packer.hpp"

namespace bdelta {
namespace budget {
namespace {

constexpr std::uint64_t kIndexPieceBytes = 8 * kMiB;       // samples on their way into the index
constexpr std::uint64_t kBytesPerCover = 64;               // of target; beyond that the search ends for a chunk
constexpr std::uint64_t kCoverLists = 2;                   // bytes of covers, in bytes of a segment
constexpr std::uint64_t kDraftCopies = 8;                  // groups in flight with all that is made of them, in drafts
constexpr std::uint64_t kPackCopies = 2;                   // likewise, codes of the context coder
constexpr std::uint64_t kWindowJobBytes = 4 * kMiB;        // ops and runs of a window in the self-check
constexpr std::uint64_t kReaderBytes = 8 * kMiB;           // frames and streams of a window there
constexpr unsigned kMaxShift = 20;
constexpr std::uint64_t kLoadedLeavesBytes = 60 * kMiB;

// Everything that decides about the patch under a limit; shares of what is left for it.
struct Shares {
  std::uint64_t index = 0;
  std::uint64_t segment = 0;
  std::uint64_t draft = 0;
  std::uint64_t anchors = 0;  // of a parse
  std::uint64_t grams = 0;   // of a worker's
};

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
  const std::uint64_t window = std::min(budget.settings.coding.window_bytes, request.target_size);
  const std::uint64_t held =
      kFixedBytes + request.held_bytes + budget.spool_bytes + (threads - 1) * kThreadBytes + heap_bytes(request, budget);
  std::uint64_t pass = kIndexPieceBytes;
  std::uint64_t search = budget.match.index_bytes + kCoverLists * segment;
  if (!budget.target_whole) search += segment;
  if (!budget.source_whole) search += budget.gathered_bytes + budget.survey_bytes;
  const std::uint64_t anchors = budget.settings.match.parse ? budget.match.anchor_bytes : 0;
  pass = std::max(pass, anchors + threads * worker_bytes(request, budget));
  const std::uint64_t copies = kDraftCopies + (budget.settings.coding.model ? kPackCopies : 0);
  const std::uint64_t coding = copies * budget.draft_bytes + coder_bytes_for(budget.settings.coding, budget.draft_bytes);
  const std::uint64_t jobs = threads == 1 ? 2 : threads + 2;
  const std::uint64_t model = budget.settings.coding.model ? packer_memory_bytes(window) : 0;
  const std::uint64_t check = jobs * (3 * window + kWindowJobBytes) + kReaderBytes + 3 * budget.draft_bytes + model;
  return held + std::max(search + std::max(pass, coding), request.verify ? check : 0);
}

// Inputs that are not mapped are loaded if that leaves half of the limit and enough for any level, or if they hardly
// count; else they are read in parts.
void choose_loading(const BudgetRequest& request, Budget& budget) {
  const std::uint64_t limit = request.limit_bytes - std::min(request.limit_bytes, request.held_bytes);
  const std::uint64_t spare = limit - std::min(limit, kLoadedLeavesBytes);
  const std::uint64_t most = std::max(std::min(limit / 2, spare), limit / 16);
  const std::uint64_t source = request.source_view ? 0 : request.source_size;
  const std::uint64_t target = request.target_view ? 0 : request.target_size;
  const bool both = source <= most && target <= most - source;
  budget.source_whole = request.source_view || both;
  budget.target_whole = request.target_view || both;
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

  settings.coding.window_bytes = std::min(settings.coding.window_bytes, std::max(shares.draft / 2, kMiB / 4));
  budget.draft_bytes = std::min(shares.draft, settings.group_bytes);
  budget.outline_bytes = budget.draft_bytes / 2;
  budget.batch_bytes = 2 * budget.draft_bytes;
  const auto draft_log = static_cast<unsigned>(std::bit_width(budget.draft_bytes - 1));
  for (CodecSettings* codec : {&settings.coding.numbers, &settings.coding.values, &settings.coding.literals}) {
    codec->max_window_log = std::min(codec->max_window_log, draft_log);
  }
  budget.spool_bytes = std::min(kFreeSpool, shares.draft / 2);
}

Shares first_shares(const BudgetRequest& request, const Budget& budget) {
  const bool in_parts = !budget.source_whole || !budget.target_whole;
  const std::uint64_t left = std::max(request.limit_bytes - heap_bytes(request, budget), 16 * kMiB);
  Shares shares;
  shares.index = std::bit_floor(left / (budget.source_whole ? 4 : 8));
  shares.segment = std::clamp(std::bit_floor(left / (in_parts ? 32 : 16)), kMiB, kFreeSegment);
  shares.draft = std::max(std::bit_floor(left / 32), kMiB);
  shares.anchors = std::max(std::bit_floor(left / 8), 4 * kMiB);
  shares.grams = std::max(std::bit_floor(left / 32), kMiB);
  return shares;
}

// Rounded up, so that it can be typed in short.
std::uint64_t in_whole_mib(std::uint64_t bytes) { return (bytes + kMiB - 1) / kMiB * kMiB; }

// What is too much gives way by halves, in turn.
Result<Budget> within_scarce_limit(const BudgetRequest& request) {
  Budget budget;
  budget.ample = false;
  choose_loading(request, budget);
  Shares shares = first_shares(request, budget);
  const unsigned planned_threads = request.limit_bytes >= 256 * kMiB ? 2 : 1;
  for (unsigned turn = 0;; ++turn) {
    apply_shares(request, shares, budget);
    budget.needed_bytes = account(request, budget, planned_threads);
    if (budget.needed_bytes <= request.limit_bytes) break;
    const bool least = shares.index <= kMiB && shares.segment <= kMiB && shares.draft <= kMiB;
    if (least) {
      return beyond_memory_limit("at least " + std::to_string(budget.needed_bytes) + " bytes", request.limit_bytes,
                                 budget.needed_bytes);
    }
    std::uint64_t& share = turn % 3 == 0 ? shares.index : turn % 3 == 1 ? shares.draft : shares.segment;
    share = std::max(share / 2, kMiB);
  }
  budget.threads = 1;
  while (budget.threads < request.threads && account(request, budget, budget.threads + 1) <= request.limit_bytes) {
    ++budget.threads;
  }
  budget.needed_bytes = account(request, budget, budget.threads);
  budget.codec_bytes = coder_bytes_for(budget.settings.coding, budget.draft_bytes) + request.limit_bytes - budget.needed_bytes;
  return budget;
}

}  // namespace
}  // namespace budget

Result<Budget> make_budget(const BudgetRequest& request) {
  if (request.limit_bytes == 0) return budget::without_limit(request);
  if (auto ample = ample_budget(request)) return std::move(*ample);
  auto scarce = budget::within_scarce_limit(request);
  if (scarce) return scarce;
  // More is used where more is allowed, so the figure that would do is found by trying, in whole MiB. Of small files work
  // without a limit may take less.
  BudgetRequest enough = request;
  for (auto tried = scarce; !tried; tried = budget::within_scarce_limit(enough)) {
    enough.limit_bytes = budget::in_whole_mib(tried.error().needed_bytes);
  }
  if (const auto ample_bytes = ample_limit(request)) {
    enough.limit_bytes = std::min(enough.limit_bytes, budget::in_whole_mib(*ample_bytes));
  }
  Error error = beyond_memory_limit("at least " + std::to_string(enough.limit_bytes) + " bytes", request.limit_bytes,
                                    enough.limit_bytes);
  error.remedy += ", or try a lower level";
  return error;
}

}  // namespace bdelta
