// Numbers that follow one another have moved by the same until the long list that they count has grown or shrunk in
// between. The thresholds are the best chain through the numbers in their order: one that is told right saves its misses,
// and a threshold costs its bytes. Most lists are those of modules that did not change, and have their thresholds in
// common. One that itself lists some types more or fewer counts its own types otherwise from there on. Lists without a
// partner are numbered anew as well.
#include "create/number_pass.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/deciding/prediction.hpp"
#include "create/number_votes.hpp"
#include "exe/btf.hpp"
#include "format/native/layout.hpp"
#include "parallel/sort.hpp"

namespace bdelta {
namespace {

// Numbers of one kind that became others, so many times.
struct Outcome {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::int64_t count = 0;
};
using Outcomes = std::vector<Outcome>;  // ascending in from, then in to

Outcomes outcomes_of(std::vector<std::uint64_t> votes, WorkerPool& pool) {
  sort_by_all(votes, pool);
  Outcomes outcomes;
  Pace pace(pool.watch(), exe::kBtfPace);
  for (const std::uint64_t vote : votes) {
    pace.step();
    const Outcome one{static_cast<std::uint32_t>(vote >> 32), static_cast<std::uint32_t>(vote), 1};
    const bool again = !outcomes.empty() && outcomes.back().from == one.from && outcomes.back().to == one.to;
    again ? void(++outcomes.back().count) : outcomes.push_back(one);
  }
  return outcomes;
}

// Chains through the numbers, gone on with in their order. A chain is known by its last move: of all that end with it
// the best.
class ThresholdFinder {
 public:
  // All outcomes of one number. `known`: what becomes of it where there are no thresholds.
  void add(std::span<const Outcome> of_number, std::uint32_t known) {
    const std::int64_t begun = std::max(best_.right_count, without_) - kThresholdNumbers;
    const std::uint32_t before = best_.right_count > without_ ? best_.last : kNone;
    for (const Outcome& outcome : of_number) {
      Chain& chain = chains_[outcome.to - outcome.from];
      if (chain.last == kNone || begun > chain.right_count) {
        links_.push_back({{outcome.from, outcome.to - outcome.from}, before});
        chain = {begun, static_cast<std::uint32_t>(links_.size() - 1)};
      }
      chain.right_count += outcome.count;
      if (outcome.to == known) without_ += outcome.count;
      if (chain.right_count > best_.right_count) best_ = chain;
    }
  }

  // Numbers that come out right, less those that are without thresholds.
  [[nodiscard]] std::int64_t gained() const noexcept { return std::max(best_.right_count, without_) - without_; }

  [[nodiscard]] Thresholds thresholds() const {
    Thresholds thresholds;
    if (gained() == 0) return thresholds;
    for (std::uint32_t at = best_.last; at != kNone; at = links_[at].before) thresholds.push_back(links_[at].threshold);
    std::reverse(thresholds.begin(), thresholds.end());
    return thresholds;
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Link {
    Threshold threshold;
    std::uint32_t before;  // in links_
  };
  struct Chain {
    std::int64_t right_count = 0;  // of numbers, less what its thresholds cost
    std::uint32_t last = kNone;  // threshold, in links_
  };

  std::unordered_map<std::uint32_t, Chain> chains_;
  std::vector<Link> links_;
  Chain best_;
  std::int64_t without_ = 0;  // right before the first threshold
};

// Thresholds for what `common` does not tell; adds to `gained` what they do.
Thresholds learn_thresholds(std::vector<std::uint64_t> votes, const Thresholds& common, std::int64_t& gained,
                            WorkerPool& pool) {
  const Outcomes outcomes = outcomes_of(std::move(votes), pool);
  ThresholdFinder finder;
  Pace pace(pool.watch(), exe::kBtfPace);
  for (std::size_t i = 0, end = 0; i < outcomes.size(); i = end) {
    while (end < outcomes.size() && outcomes[end].from == outcomes[i].from) ++end;
    pace.step(static_cast<std::uint32_t>(end - i));
    finder.add(std::span(outcomes).subspan(i, end - i), moved(common, {}, outcomes[i].from));
  }
  gained += finder.gained();
  return finder.thresholds();
}

ThresholdPair learn_thresholds(NumberVotes votes, const ThresholdPair& common, std::int64_t& gained, WorkerPool& pool) {
  return {learn_thresholds(std::move(votes.types), common.types, gained, pool),
          learn_thresholds(std::move(votes.strings), common.strings, gained, pool)};
}

// Varints have up to ten bytes each, and a threshold has two.
bool fits_in_record(const MovedNumbers& numbers) {
  constexpr std::uint64_t kThresholdBytes = 10, kListBytes = 30;  // numbers of thresholds are below 2^33
  const std::uint64_t most_bytes = kListBytes * (numbers.lists.size() + 2) + kThresholdBytes * numbers.threshold_count();
  return most_bytes <= native::kMaxMovedNumberRecordBytes;
}

}  // namespace

MovedNumbers learn_moved_numbers(ByteSpan source, ByteSpan target, WorkerPool& pool) {
  const Step step(pool, PhaseId::kPredict, source.size());
  NumberLists found = find_number_lists(source, target, kMostTypeBytes, pool);
  MovedNumbers numbers;
  std::int64_t gained = -kRecordNumbers - kListNumbers * static_cast<std::int64_t>(found.header_positions.size());
  numbers.type_bytes = found.type_bytes;
  for (const std::uint64_t pos : found.header_positions) numbers.lists.push_back({pos, {}});
  numbers.common = learn_thresholds(std::move(found.votes), {}, gained, pool);
  for (ChangedList& changed : found.changed) {
    numbers.lists[changed.list].own = learn_thresholds(std::move(changed.votes), numbers.common, gained, pool);
  }
  return gained > 0 && fits_in_record(numbers) ? numbers : MovedNumbers();
}

std::uint64_t learned_type_bytes(ByteSpan source, Watch* watch) {
  const std::uint64_t bytes = listed_type_bytes(source, watch);
  return bytes <= kMostTypeBytes ? bytes : 0;
}

void move_numbers(MutableByteSpan source, const MovedNumbers& numbers, Watch* watch) {
  for (const NumberList& list : numbers.lists) {
    const ByteSpan types = number_list_at(source, list.header_pos);
    const auto at = static_cast<std::size_t>(types.data() - source.data());
    (void)exe::move_btf_numbers(source.subspan(at, types.size()), numbers.common, list.own, watch);
  }
}

}  // namespace bdelta
