#include "create/cover_search.hpp"

#include <algorithm>
#include <utility>

#include "base/deciding/choosing.hpp"
#include "base/try.hpp"
#include "create/sample_chooser.hpp"
#include "create/alternative_chooser.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kCostsPerByte = 8 * 64;

}  // namespace

// Whether covers like these take clearly less in a patch than the least that the parse takes a change of the diagonal to cost.
// Where one table has another notation in NEW, each entry is cut alike. Never of few covers.
Result<bool> CoverSearch::are_cheap(const Covers& covers, const ParseCosts& costs) const {
  if (covers.size() < kLeastCheapCovers) return false;
  BDELTA_ASSIGN(const std::uint64_t bytes, coder_.estimate_groups({group_of_covers(covers)}, native::Estimate::kLikely));
  const std::uint64_t all_cost = covers.size() * static_cast<std::uint64_t>(costs.near_switch);
  return bytes * kCostsPerByte * kCheapDenominator <= all_cost * kCheapNumerator;
}

Result<std::vector<Covers>> CoverSearch::find_from(ByteSpan target, Covers from, const ProgramPass* doubted) {
  const LevelSettings& settings = coder_.settings();
  Status sampled;
  CostChoice choice;
  choice.sample_bytes = std::min(target.size() / kSampleShare, kMostSampleBytes);
  const bool is_large = settings.choice_bytes > 0 && target.size() > settings.choice_bytes;
  choice.least_changed_bytes = is_large ? 0 : kSampledChangedBytes;
  choice.of_one = doubted != nullptr;
  bool has_cheap_set = false;  // asked before the sample is parsed, and then the last of the sets
  choice.best_of = [&](std::vector<Covers> sets, const ByteRanges& ranges, const Covers& seeds) {
    SampleChooser chooser(coder_, inputs_, doubted, {std::move(sets), ranges, seeds, has_cheap_set});
    auto best = chooser.best_sets();
    if (best) return std::move(*best);
    sampled = std::move(best).error();
    return std::vector<std::size_t>{0};
  };
  choice.found_so_far = found_so_far_;
  if (coder_.budget().ample) {
    choice.are_cheap = [&](const Covers& seeds, const ParseCosts& costs) {
      const auto cheap = are_cheap(seeds, costs);
      if (!cheap) sampled = cheap.error();
      has_cheap_set = cheap && *cheap;
      return has_cheap_set;
    };
  }
  std::vector<Covers> found = matcher_.find_from(target, std::move(from), &choice);
  BDELTA_TRY(std::move(sampled));
  return found;
}

Result<Covers> CoverSearch::find_best(ByteSpan target, const Diagonals& diagonals) {
  BDELTA_ASSIGN(std::vector<Covers> found, find_from(target, matcher_.find_seeds(target, diagonals), nullptr));
  if (found.size() == 1) return std::move(found.front());
  BDELTA_ASSIGN(const std::size_t best, AlternativeChooser(coder_, found, nullptr).smallest_of(0, found.size(), 0, 1));
  return std::move(found[best]);
}

}  // namespace bdelta
