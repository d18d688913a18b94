// Which of several ways the covers go into the patch: sets of covers, prediction, words and copies of NEW are compared by
// what they make of its size. Coding takes longer than all else at high levels, so ways are ranked by an estimate first,
// only those that it can't tell apart are coded, and the one that is kept need not be coded again.
#include "create/create_run.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/try.hpp"
#include "create/progress_shares.hpp"

namespace bdelta {
namespace {

constexpr std::size_t kMostCoded = 2;              // sets of covers that are coded, of those close to each other
constexpr std::uint64_t kQuickSampleBytes = 16 * 1024;  // as kQuickBytes, of a sample: it settles less and shall take less
constexpr std::uint64_t kCloseShare = 64;          // what differs by less than 1/share is close
constexpr std::uint64_t kUnlikeShare = 8;          // with a light model of misses and without, what differs by more
constexpr std::uint64_t kSettledShare = 256;       // of one set of covers, what differs by more is settled by the estimate

}  // namespace

// Of `ways`, indexes into found_ (its size means prediction), those that may be the smallest, with their drafts where
// these are short: then all of them.
Result<std::vector<CreateRun::Way>> CreateRun::likely_ways(const std::vector<std::size_t>& indexes) {
  std::vector<Way> ways;
  bool tries_light_misses = false;
  for (const std::size_t index : indexes) {
    Way way;
    way.index = index;
    way.draft = draft_way(index);
    way.is_quick = way.draft.stream_bytes() <= (sample_ ? kQuickSampleBytes : kQuickBytes);
    way.is_long = way.draft.is_long();
    tries_light_misses = tries_light_misses || writer_->tries_light_misses(way.draft.groups);
    if (!way.is_quick) {
      BDELTA_ASSIGN(way.estimated_bytes, estimate_body(way.draft));
      way.draft = {};
    }
    ways.push_back(std::move(way));
  }
  if (std::any_of(ways.begin(), ways.end(), [](const Way& way) { return way.is_quick; })) return ways;
  std::stable_sort(ways.begin(), ways.end(),
                   [](const Way& a, const Way& b) { return a.estimated_bytes < b.estimated_bytes; });
  // What is estimated to the same byte has the same covers.
  ways.erase(std::unique(ways.begin(), ways.end(),
                         [](const Way& a, const Way& b) { return a.estimated_bytes == b.estimated_bytes; }),
             ways.end());
  const std::uint64_t least = ways.front().estimated_bytes;
  // Of a sample the estimate alone will do, but for the light model of misses, of which it knows little.
  const std::size_t most = sample_ && !tries_light_misses ? 1 : std::min(ways.size(), kMostCoded);
  const std::uint64_t close_bytes = least / (ways.front().is_long ? kSettledShare : kCloseShare);
  std::size_t count = 1;
  while (count < most && ways[count].estimated_bytes - least <= close_bytes) ++count;
  ways.erase(ways.begin() + static_cast<std::ptrdiff_t>(count), ways.end());
  return ways;
}

// The smallest of the ways. begin, end: of the stage's work. coded_ is that way where it had to be coded to know.
Result<std::size_t> CreateRun::smallest_of(const std::vector<std::size_t>& indexes, Measure measure, double begin,
                                           double end) {
  const std::uint64_t segment_bytes = segment_.end - segment_.begin;
  const double estimated = begin + (end - begin) * 0.4;
  watch_.begin_stage(estimated, segment_bytes * indexes.size());
  BDELTA_ASSIGN(std::vector<Way> ways, likely_ways(indexes));
  coded_.reset();
  if (ways.size() == 1) return ways.front().index;
  watch_.begin_stage(end, segment_bytes * ways.size());
  std::vector<BodyDraft> drafts;
  for (Way& way : ways) drafts.push_back(way.is_quick ? std::move(way.draft) : draft_way(way.index));
  BDELTA_ASSIGN(std::vector<CodedBody> bodies, code_bodies(std::move(drafts), measure));
  const auto best = std::min_element(bodies.begin(), bodies.end(),
                                     [](const CodedBody& a, const CodedBody& b) { return a.bytes < b.bytes; });
  coded_ = std::move(*best);
  return ways[static_cast<std::size_t>(best - bodies.begin())].index;
}

// With slow contents, coding each set by them would take too long. So the best without contents and, where little
// changes, the best by the light model are found first, and only these two are coded as they will be.
Result<std::size_t> CreateRun::smallest_with_contents(const std::vector<std::size_t>& ways) {
  const std::size_t usual_count = std::min(found_.size(), budget_.settings.match.parse_params.costs.size());
  const bool both = found_.size() > usual_count;
  std::vector<std::size_t> usual;
  std::vector<std::size_t> covers_alone;
  for (const std::size_t way : ways) {
    if (way < usual_count || way == found_.size()) usual.push_back(way);
    if (way < found_.size()) covers_alone.push_back(way);
  }
  BDELTA_ASSIGN(const std::size_t best, smallest_of(usual, Measure::kWithoutContents, 0, both ? 0.3 : 1));
  coded_.reset();
  if (!both || best == found_.size()) return best;
  BDELTA_ASSIGN(const std::size_t other, smallest_of(covers_alone, Measure::kLight, 0.3, 0.7));
  coded_.reset();
  if (other == best) return best;
  BDELTA_ASSIGN(CodedBody body, code_body(draft_way(best), Measure::kAll));
  BDELTA_ASSIGN(CodedBody other_body, code_body(draft_way(other), Measure::kAll));
  const bool better = other_body.bytes < body.bytes;
  coded_ = better ? std::move(other_body) : std::move(body);
  return better ? other : best;
}

Status CreateRun::choose_covers() {
  std::size_t best = 0;
  // Where no plain covers were looked for, prediction has done clearly better in a sample.
  const bool with_prediction = doubts_prediction() && !found_.empty();
  if ((found_.size() > 1 && writer_) || with_prediction) {
    set_segment_range(share::kMatched, share::kChosen);
    std::vector<std::size_t> ways(found_.size() + (with_prediction ? 1 : 0));
    std::iota(ways.begin(), ways.end(), std::size_t{0});
    if (budget_.settings.contents) {
      BDELTA_ASSIGN(best, smallest_with_contents(ways));
    } else {
      BDELTA_ASSIGN(best, smallest_of(ways, Measure::kLight, 0, 1));
    }
    const bool whole = segment_.begin == 0 && segment_.end == target_reader_.size();
    if (!whole) coded_.reset();  // groups of two segments may be joined
  }
  if (with_prediction && best < found_.size()) programs_.reset();
  covers_ = best < found_.size() ? std::move(found_[best]) : programs_->plan().covers;
  if (best < found_.size()) found_.erase(found_.begin() + static_cast<std::ptrdiff_t>(best));
  if (budget_.settings.contents) not_chosen_ = std::move(found_);
  found_.clear();
  return {};
}

CreateRun::BodyDraft CreateRun::draft_chosen() { return programs_ ? draft_predicted_body() : draft_body(covers_); }

// What says in the end how large the patch becomes.
CreateRun::Measure CreateRun::full_measure() const noexcept {
  return budget_.settings.contents ? Measure::kAll : Measure::kLight;
}

// Whether `after`, with so many bytes beside it, is smaller than `before`, which is what coded_ has if there is one. Where
// both take long to code an estimate tells: it is wrong by little and where little is to be gained (coding both where it
// could not tell them by 0.4 % made patches of 21 pairs smaller by 0.01 %). But what the light model makes of misses it
// knows badly, which levels that take their time find out. Then, coded_ is what is the smaller one, if that had to be coded
// to know.
Result<bool> CreateRun::is_smaller(BodyDraft after, std::uint64_t extra_bytes, BodyDraft before, Measure measure) {
  const LevelSettings& settings = budget_.settings;
  const bool tries_light_misses = writer_->tries_light_misses(before.groups) || writer_->tries_light_misses(after.groups);
  const bool is_long = before.is_long() && after.is_long();
  const bool is_slow_to_code =
      settings.numbers.id == CodecId::kLzma && !settings.contents && (is_long || !tries_light_misses);
  if (is_slow_to_code && std::min(before.stream_bytes(), after.stream_bytes()) > kQuickBytes) {
    const bool alike = before.copies_target() == after.copies_target();
    const native::Estimate estimate = alike ? native::Estimate::kLikely : native::Estimate::kEven;
    BDELTA_ASSIGN(const std::uint64_t bytes_before, estimate_body(before, estimate));
    BDELTA_ASSIGN(std::uint64_t bytes, estimate_body(after, estimate));
    bytes += extra_bytes;
    const bool takes_time = settings.miss_byte_ns > 0 && settings.miss_target_ns == 0;
    const std::uint64_t open_bytes = !alike && takes_time ? bytes_before / kUnlikeShare : 0;
    if (bytes + open_bytes < bytes_before) {
      coded_.reset();
      return true;
    }
    if (bytes >= bytes_before + open_bytes) return false;
  }
  std::vector<BodyDraft> drafts;
  drafts.push_back(std::move(after));
  if (!coded_) drafts.push_back(std::move(before));
  BDELTA_ASSIGN(std::vector<CodedBody> bodies, code_bodies(std::move(drafts), measure));
  if (bodies.size() > 1) coded_ = std::move(bodies[1]);
  const bool smaller = bodies[0].bytes + extra_bytes < coded_->bytes;
  if (smaller) coded_ = std::move(bodies[0]);
  return smaller;
}

}  // namespace bdelta
