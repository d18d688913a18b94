// From covers to drafts of groups.
#include "create/body_coder.hpp"

#include <algorithm>
#include <utility>

#include "create/group_pieces.hpp"

namespace bdelta {
namespace {

constexpr std::size_t kFewCovers = std::size_t{1} << 16;   // of a plan that is kept: they take 1.5 MiB
constexpr std::size_t kCalmBytes = std::size_t{32} << 10;  // literals and misses of a group that are few

}  // namespace

// Asked for again and again while ways are compared. Where few covers copy much, it takes as long as all else of a draft.
std::vector<GroupPlan> BodyCoder::plan_of(const Covers& covers) {
  const std::uint64_t begin = inputs_.segment.begin;
  const bool is_known = known_plan_ && known_plan_->segment_begin == begin && known_plan_->covers == covers;
  if (is_known) return known_plan_->groups;
  std::vector<GroupPlan> groups =
      plan_groups(inputs_.source_pieces, inputs_.target_pieces, inputs_.segment, covers, budget_.plan_bytes, pool_,
                  settings().plain_bytes, inputs_.source_reader.size());
  if (covers.size() <= kFewCovers) known_plan_ = KnownPlan{covers, begin, groups};
  return groups;
}

// The groups of `plans` as encode(segments, window_bytes) makes them. Where there is little to share among lanes, the heads
// of many windows are what costs.
template <class Encode>
std::vector<GroupDraft> BodyCoder::with_fitting_windows(std::span<const GroupPlan> plans, const Encode& encode) {
  const Step step(pool_, PhaseId::kEncode);
  // Joining pieces takes memory, and what the fast levels gain by a piece for each thread is less than that takes.
  const bool cuts = budget_.ample && settings().match.parse;
  const auto encode_all = [&](std::span<const GroupPlan> groups, std::uint64_t window_bytes) {
    const auto one = [&](std::size_t group, const GroupPlan& segments) {
      const Span span(pool_.timeline(), PhaseId::kEncode, group, target_bytes(segments));
      return encode(segments, window_bytes);
    };
    return encode_in_pieces(groups, window_bytes, cuts, one, pool_);
  };
  std::vector<GroupDraft> drafts = encode_all(plans, settings().window_bytes);
  if (settings().calm_window_bytes == 0) return drafts;
  std::vector<std::size_t> calm;
  std::vector<GroupPlan> calm_plans;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    if (drafts[i].streams[kLiterals].size() + drafts[i].streams[kResidualValues].size() > kCalmBytes) continue;
    calm.push_back(i);
    calm_plans.push_back(plans[i]);
  }
  std::vector<GroupDraft> calm_drafts = encode_all(calm_plans, settings().calm_window_bytes);
  for (std::size_t i = 0; i < calm.size(); ++i) drafts[calm[i]] = std::move(calm_drafts[i]);
  return drafts;
}

std::vector<GroupDraft> BodyCoder::encode(const Covers& covers, std::span<const GroupPlan> plans, const WordMap* words) {
  return with_fitting_windows(plans, [&](const GroupPlan& segments, std::uint64_t window_bytes) {
    return encode_group(inputs_.source_pieces, inputs_.target_pieces, covers, segments, window_bytes, words,
                        pool_.watch(), inputs_.source_reader.size());
  });
}

// What copies give by prediction takes the place of the source, and the covers stand before all groups. Of a sample there
// are more of these, and shorter ones.
std::vector<GroupDraft> BodyCoder::encode_predicted(const ProgramPass& programs, const WordMap* words) {
  const FilePieces copied(programs.copied());
  std::vector<GroupPlan> plans;
  const auto add = [&](const Segment& segment) { plans.push_back({segment}); };
  if (sample_) {
    std::for_each(sample_->begin(), sample_->end(), add);
  } else {
    const std::uint64_t size = inputs_.target_reader.size(), group_bytes = settings().group_bytes;
    for (std::uint64_t pos = 0; pos < size; pos += group_bytes) add({pos, std::min(group_bytes, size - pos), false, 0});
  }
  return with_fitting_windows(plans, [&](const GroupPlan& segments, std::uint64_t window_bytes) {
    return encode_contents(copied, inputs_.target_pieces, programs.plan().covers, segments.front(), window_bytes, words,
                           pool_.watch());
  });
}

BodyDraft BodyCoder::draft(const Covers& covers, const WordMap* words) {
  const std::vector<GroupPlan> plans = sample_ ? std::vector<GroupPlan>{*sample_} : plan_of(covers);
  return {encode(covers, plans, words), nullptr, words};
}

BodyDraft BodyCoder::draft_predicted(const ProgramPass& programs, const WordMap* words) {
  return {encode_predicted(programs, words), &programs, words};
}

BodyDraft BodyCoder::draft(const Chosen& chosen) {
  const WordMap* const words = chosen.word_map();
  return chosen.programs ? draft_predicted(*chosen.programs, words) : draft(chosen.covers, words);
}

}  // namespace bdelta
