// Coding takes longer than all else at high levels, so ways are ranked by an estimate first, only those that it can't
// tell apart are coded, and the one that is kept need not be coded again.
#include "create/way_chooser.hpp"

#include <algorithm>
#include <utility>

#include "base/try.hpp"

namespace bdelta {
namespace {

constexpr std::size_t kMostCoded = 2;              // sets of covers that are coded, of those close to each other
constexpr std::uint64_t kQuickSampleBytes = 16 * 1024;  // as kQuickBytes, of a sample: it settles less and shall take less
constexpr std::uint64_t kCloseShare = 64;          // what differs by less than 1/share is close
constexpr std::uint64_t kSettledShare = 256;       // of one set of covers, what differs by more is settled by the estimate

}  // namespace

BodyDraft WayChooser::draft(std::size_t way) {
  return way == sets_.size() ? coder_.draft_predicted(*programs_) : coder_.draft(sets_[way], nullptr, nullptr);
}

std::uint64_t WayChooser::quick_bytes() const noexcept { return coder_.sample() ? kQuickSampleBytes : kQuickBytes; }

// Of ways with estimates, those that may be the smallest.
void WayChooser::keep_close(std::vector<Way>& ways, bool tries_modelled_misses) const {
  std::stable_sort(ways.begin(), ways.end(),
                   [](const Way& a, const Way& b) { return a.estimated_bytes < b.estimated_bytes; });
  // What is estimated to the same byte has the same covers.
  ways.erase(std::unique(ways.begin(), ways.end(),
                         [](const Way& a, const Way& b) { return a.estimated_bytes == b.estimated_bytes; }),
             ways.end());
  const std::uint64_t least = ways.front().estimated_bytes;
  // Of a sample the estimate alone will do, but for the model of misses, of which it knows little.
  const std::size_t most = coder_.sample() && !tries_modelled_misses ? 1 : std::min(ways.size(), kMostCoded);
  const std::uint64_t close_bytes = least / (ways.front().is_long ? kSettledShare : kCloseShare);
  std::size_t count = 1;
  while (count < most && ways[count].estimated_bytes - least <= close_bytes) ++count;
  ways.erase(ways.begin() + static_cast<std::ptrdiff_t>(count), ways.end());
}

// Those that may be the smallest, with their drafts where these are short: then all of them.
Result<std::vector<WayChooser::Way>> WayChooser::likely_ways(const std::vector<std::size_t>& indexes) {
  std::vector<Way> ways;
  bool tries_modelled_misses = false;
  for (const std::size_t index : indexes) {
    Way way;
    way.index = index;
    way.draft = draft(index);
    way.is_quick = way.draft.stream_bytes() <= quick_bytes();
    way.is_long = way.draft.is_long();
    tries_modelled_misses = tries_modelled_misses || coder_.tries_modelled_misses(way.draft);
    if (!way.is_quick) {
      BDELTA_ASSIGN(way.estimated_bytes, coder_.estimate(way.draft));
      way.draft = {};
    }
    ways.push_back(std::move(way));
  }
  if (std::none_of(ways.begin(), ways.end(), [](const Way& way) { return way.is_quick; })) {
    keep_close(ways, tries_modelled_misses);
  }
  return ways;
}

Result<std::size_t> WayChooser::smallest_of(const std::vector<std::size_t>& indexes, double begin, double end) {
  const std::uint64_t segment_bytes = coder_.segment_bytes();
  const double estimated = begin + (end - begin) * 0.4;
  coder_.pool().begin_stage(estimated, segment_bytes * indexes.size());
  BDELTA_ASSIGN(std::vector<Way> ways, likely_ways(indexes));
  coded_.reset();
  if (ways.size() == 1) return ways.front().index;
  coder_.pool().begin_stage(end, segment_bytes * ways.size());
  std::vector<BodyDraft> drafts;
  for (Way& way : ways) drafts.push_back(way.is_quick ? std::move(way.draft) : draft(way.index));
  BDELTA_ASSIGN(std::vector<CodedBody> bodies, coder_.code_all(std::move(drafts)));
  const auto best = std::min_element(bodies.begin(), bodies.end(),
                                     [](const CodedBody& a, const CodedBody& b) { return a.bytes < b.bytes; });
  coded_ = std::move(*best);
  return ways[static_cast<std::size_t>(best - bodies.begin())].index;
}

}  // namespace bdelta
