// The account of memory without a limit, and under one that leaves room for all of the work: then the patch is the same.
#include <algorithm>

#include "create/budget_parts.hpp"

namespace bdelta::budget {
namespace {

constexpr std::uint64_t kUsualBytesPerCover = 300;         // for the estimate of work in segments without a limit
constexpr std::uint64_t kUsualChangedShare = 8;            // of NEW, that differs in the estimate of other work
constexpr std::uint64_t kSampleBytes = 40;                 // samples while building, and their share of the table
constexpr std::uint64_t kFreeIndex = 2048 * kMiB;
constexpr std::uint64_t kFreeBatch = 256 * kMiB;
constexpr std::uint64_t kAmpleCopies = 4;                  // of both files that work without a limit takes at most
// The same of files that hardly differ, in quarters. The work has copies of both without what is left out or moved. With
// programs it also has copies in which addresses are masked, what a miss in them costs, and fields. Then copies of what
// differs.
constexpr std::uint64_t kSimilarQuarters = 5;
constexpr std::uint64_t kProgramQuarters = 9;
constexpr std::uint64_t kChangedCopies = 8;
constexpr std::uint64_t kTypeCopies = 6;                   // votes on numbers, types by their hashes, steps

// What looks at both files as a whole has one segment, and their memory several times.
bool is_one_segment(const BudgetRequest& request) {
  return std::max(request.source_size, request.target_size) <= kFreeSegment;
}

// What work without a limit takes at most.
struct FreeWork {
  std::uint64_t bytes = 0;        // that grow with the files
  std::uint64_t coder_bytes = 0;  // of a compressor, or the context coder
};

// Both are measured and rounded up. The figures of any files are those over programs, texts and files that share nothing.
// Those of files that are alike come from pairs of 20 to 290 MB, and are 1.4 to 7 times what was taken. What a level finds
// to differ is less than what a fast search does, but for some of it.
FreeWork free_work(const BudgetRequest& request, const Budget& budget, const std::optional<Likeness>& likeness) {
  const std::uint64_t group_bytes = budget.settings.group_bytes, file_bytes = request.source_size + request.target_size;
  if (!likeness) return {kAmpleCopies * file_bytes, coder_bytes_for(budget.settings.coding, std::min(group_bytes, request.target_size))};
  const std::uint64_t changed_bytes = likeness->changed_bytes;
  const std::uint64_t stream = std::min(group_bytes, changed_bytes + changed_bytes / 4 + kMiB);
  const std::uint64_t quarters = likeness->has_programs ? kProgramQuarters : kSimilarQuarters;
  return {quarters * file_bytes / 4 + kChangedCopies * changed_bytes + kTypeCopies * likeness->type_bytes,
          coder_bytes_for(budget.settings.coding, stream)};
}

// One compressor at a time. Covers are known before they are coded.
std::uint64_t most_without_limit(const BudgetRequest& request, const Budget& budget, const FreeWork& work,
                                 unsigned threads) {
  const std::uint64_t anchors = budget.settings.match.parse ? std::min(kMostAnchorBytes, request.target_size) : 0;
  return kFixedBytes + request.held_bytes + std::min(kFreeSpool, request.target_size) + heap_bytes(request, budget) + work.bytes +
         threads * kThreadBytes + std::max(anchors + threads * worker_bytes(request, budget), work.coder_bytes);
}

// Of work in segments: a tenth of the target in streams, covers of usual density.
std::uint64_t usual_of_segments(const BudgetRequest& request, const Budget& budget) {
  const std::uint64_t segment = std::min(kFreeSegment, request.target_size);
  const std::uint64_t batch = std::min(budget.batch_bytes, request.target_size);
  const std::uint64_t stream = std::min(budget.settings.group_bytes, request.target_size) / 4;
  const std::uint64_t anchors = budget.settings.match.parse ? std::min(kMostAnchorBytes, segment) : 0;
  const std::uint64_t samples = request.source_size >> budget.settings.match.sample_shift;
  const std::uint64_t search = samples * kSampleBytes + segment / kUsualBytesPerCover * 96;
  const std::uint64_t pass = anchors + request.threads * worker_bytes(request, budget);
  const std::uint64_t coding = batch / 2 + request.threads * coder_bytes_for(budget.settings.coding, stream);
  return kFixedBytes + request.held_bytes + kFreeSpool + heap_bytes(request, budget) + search + std::max(pass, coding);
}

// What work without a limit takes for two versions of one thing.
std::uint64_t usual_bytes(const BudgetRequest& request, const Budget& budget) {
  if (!budget.ample) return usual_of_segments(request, budget);
  const Likeness usual{request.target_size / kUsualChangedShare, budget.settings.predict, 0};
  return most_without_limit(request, budget, free_work(request, budget, usual), request.threads);
}

Budget free_budget(const BudgetRequest& request) {
  BudgetRequest free = request;
  free.limit_bytes = 0;
  return without_limit(free);
}

}  // namespace

Budget without_limit(const BudgetRequest& request) {
  Budget budget;
  budget.ample = is_one_segment(request);
  budget.settings = settings_for(request);
  budget.segment_bytes = kFreeSegment;
  budget.match.near_only = request.target_size > kFreeSegment;
  unsigned& shift = budget.settings.match.sample_shift;
  while ((request.source_size >> shift) * kSampleBytes > kFreeIndex) ++shift;
  budget.outline_bytes = budget.settings.group_bytes;
  budget.batch_bytes = std::max(kFreeBatch, budget.settings.group_bytes);
  budget.draft_bytes = ~std::uint64_t{0};
  budget.codec_bytes = ~std::uint64_t{0};
  budget.spool_bytes = kFreeSpool;
  budget.threads = request.threads;
  budget.needed_bytes = usual_bytes(request, budget);
  return budget;
}

}  // namespace bdelta::budget

namespace bdelta {

std::optional<std::uint64_t> ample_limit(const BudgetRequest& request, const std::optional<Likeness>& likeness) {
  if (!budget::is_one_segment(request)) return std::nullopt;
  const Budget budget = budget::free_budget(request);
  return budget::most_without_limit(request, budget, budget::free_work(request, budget, likeness), 1);
}

std::optional<Budget> ample_budget(const BudgetRequest& request, const std::optional<Likeness>& likeness) {
  Budget budget = budget::free_budget(request);
  const budget::FreeWork work = budget::free_work(request, budget, likeness);
  const auto most = [&](unsigned threads) { return budget::most_without_limit(request, budget, work, threads); };
  if (!budget::is_one_segment(request) || most(1) > request.limit_bytes) return std::nullopt;
  budget.threads = 1;
  while (budget.threads < request.threads && most(budget.threads + 1) <= request.limit_bytes) ++budget.threads;
  budget.needed_bytes = most(budget.threads);
  budget.codec_bytes = work.coder_bytes + request.limit_bytes - budget.needed_bytes;
  return budget;
}

}  // namespace bdelta
