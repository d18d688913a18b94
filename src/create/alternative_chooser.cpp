// Coding takes longer than all else at high levels. So an estimate ranks the alternatives first. Only those that it
// can't tell apart are coded, and the one that is kept need not be coded again.
#include "create/alternative_chooser.hpp"

#include <algorithm>
#include <utility>

#include "base/deciding/choosing.hpp"
#include "base/try.hpp"

namespace bdelta {
BodyDraft AlternativeChooser::draft(std::size_t index) {
  return index == sets_.size() ? coder_.draft_predicted(*programs_) : coder_.draft(sets_[index], nullptr, nullptr);
}

// Of alternatives with estimates, those that may be the smallest.
void AlternativeChooser::keep_close(std::vector<Alternative>& alternatives, bool tries_modelled_misses) const {
  std::stable_sort(alternatives.begin(), alternatives.end(),
                   [](const Alternative& a, const Alternative& b) { return a.estimated_bytes < b.estimated_bytes; });
  // What is estimated to the same byte has the same covers.
  const auto are_equal = [](const Alternative& a, const Alternative& b) { return a.estimated_bytes == b.estimated_bytes; };
  alternatives.erase(std::unique(alternatives.begin(), alternatives.end(), are_equal), alternatives.end());
  const std::uint64_t least = alternatives.front().estimated_bytes;
  // Of a sample the estimate alone will do, but for the model of misses, of which it knows little.
  const bool is_unsure = coder_.sample() && tries_modelled_misses;
  const std::size_t most = coder_.sample() && !is_unsure ? 1 : std::min(alternatives.size(), kMostCodedSets);
  const std::uint64_t share = is_unsure ? kUnsureShare : alternatives.front().is_long ? kSettledShare : kCloseShare;
  const std::uint64_t close_bytes = least / share;
  std::size_t count = 1;
  while (count < most && alternatives[count].estimated_bytes - least <= close_bytes) ++count;
  alternatives.erase(alternatives.begin() + static_cast<std::ptrdiff_t>(count), alternatives.end());
}

// Those that may be the smallest, with their drafts where these are short: then all of them.
Result<std::vector<AlternativeChooser::Alternative>> AlternativeChooser::likely_ones(std::size_t first, std::size_t last) {
  const std::uint64_t quick_bytes = coder_.sample() ? kQuickSampleBytes : kQuickBytes;
  std::vector<Alternative> alternatives;
  bool tries_modelled_misses = false;
  for (std::size_t index = first; index < last; ++index) {
    Alternative one;
    one.index = index;
    one.draft = draft(index);
    one.is_quick = one.draft.stream_bytes() <= quick_bytes;
    one.is_long = one.draft.is_long();
    tries_modelled_misses = tries_modelled_misses || coder_.tries_modelled_misses(one.draft);
    if (!one.is_quick) {
      BDELTA_ASSIGN(one.estimated_bytes, coder_.estimate(one.draft));
      one.draft = {};
    }
    alternatives.push_back(std::move(one));
  }
  if (std::none_of(alternatives.begin(), alternatives.end(), [](const Alternative& one) { return one.is_quick; })) {
    keep_close(alternatives, tries_modelled_misses);
  }
  return alternatives;
}

Result<std::size_t> AlternativeChooser::smallest_of(std::size_t first, std::size_t last, double begin, double end) {
  const std::uint64_t segment_bytes = coder_.segment_bytes();
  const double estimated = begin + (end - begin) * 0.4;
  coder_.pool().begin_stage(estimated, segment_bytes * (last - first));
  BDELTA_ASSIGN(std::vector<Alternative> alternatives, likely_ones(first, last));
  coded_.reset();
  if (alternatives.size() == 1) return alternatives.front().index;
  coder_.pool().begin_stage(end, segment_bytes * alternatives.size());
  std::vector<BodyDraft> drafts;
  for (Alternative& one : alternatives) drafts.push_back(one.is_quick ? std::move(one.draft) : draft(one.index));
  BDELTA_ASSIGN(std::vector<CodedBody> bodies, coder_.code_all(std::move(drafts)));
  const auto best = std::min_element(bodies.begin(), bodies.end(),
                                     [](const CodedBody& a, const CodedBody& b) { return a.bytes < b.bytes; });
  coded_ = std::move(*best);
  return alternatives[static_cast<std::size_t>(best - bodies.begin())].index;
}

}  // namespace bdelta
