// From covers to drafts of groups.
#include "create/body_coder.hpp"

#include <algorithm>
#include <utility>

#include "create/group_pieces.hpp"

namespace bdelta {
namespace {

constexpr std::size_t kFewCovers = std::size_t{1} << 16;  // of a plan that is kept: they take 1.5 MiB

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

// The groups of `plans` as encode(segments) makes them.
template <class Encode>
std::vector<GroupDraft> BodyCoder::encode_all(std::span<const GroupPlan> plans, const Encode& encode) {
  const Step step(pool_, PhaseId::kEncode);
  // Joining pieces takes memory, and what the fast levels gain by a piece for each thread is less than that takes.
  const bool cuts = budget_.ample && settings().match.parse;
  const auto one = [&](std::size_t group, const GroupPlan& segments) {
    const Span span(pool_.timeline(), PhaseId::kEncode, group, target_bytes(segments));
    return encode(segments);
  };
  return encode_in_pieces(plans, settings().window_bytes, cuts, one, pool_);
}

std::vector<GroupDraft> BodyCoder::encode(const Covers& covers, std::span<const GroupPlan> plans, const WordMap* words) {
  return encode_all(plans, [&](const GroupPlan& segments) {
    return encode_group(inputs_.source_pieces, inputs_.target_pieces, covers, segments, settings().window_bytes, words,
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
  return encode_all(plans, [&](const GroupPlan& segments) {
    return encode_contents(copied, inputs_.target_pieces, programs.plan().covers, segments.front(),
                           settings().window_bytes, words, pool_.watch());
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
