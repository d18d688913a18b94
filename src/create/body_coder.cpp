// From covers to drafts of groups.
#include "create/body_coder.hpp"

#include "create/group_pieces.hpp"

namespace bdelta {
namespace {

constexpr std::size_t kFewCovers = std::size_t{1} << 16;  // of outlines that are kept: they take 1.5 MiB

}  // namespace

// Asked for again and again while alternatives are compared. Where few covers copy much, it takes as long as all else
// of a draft.
std::vector<GroupOutline> BodyCoder::outlines_of(const Covers& covers, const ProgramPass* programs) {
  const std::uint64_t begin = inputs_.segment.begin;
  const bool is_known = known_outlines_ && known_outlines_->segment_begin == begin &&
                        known_outlines_->programs == programs && known_outlines_->covers == covers;
  if (is_known) return known_outlines_->groups;
  std::vector<GroupOutline> groups =
      outline_groups(inputs_.source_pieces, inputs_.target_pieces, inputs_.segment, covers,
                     programs ? settings().group_bytes : budget_.outline_bytes, pool_, settings().plain_bytes,
                     inputs_.source_reader.size(), programs ? programs->predicted_ranges() : ByteRanges());
  if (covers.size() <= kFewCovers) known_outlines_ = KnownOutlines{covers, programs, begin, groups};
  return groups;
}

// Where there are programs, what copies give by prediction takes the place of the source.
std::vector<GroupDraft> BodyCoder::encode(const Covers& covers, std::span<const GroupOutline> outlines,
                                          const SubstitutionTable* substitutions,
                                          const ProgramPass* programs) {
  const FilePieces copied(programs ? programs->copied() : ByteSpan());
  const CopySources from{inputs_.source_pieces, programs ? &copied : nullptr, inputs_.source_reader.size()};
  const Step step(pool_, PhaseId::kEncode);
  // Joining pieces takes memory, and what the fast levels gain by a piece for each thread is less than that takes.
  const bool cuts = budget_.ample && settings().match.parse;
  const auto encode_one = [&](std::size_t group, const GroupOutline& segments) {
    const Span span(pool_.timeline(), PhaseId::kEncode, group, target_bytes(segments));
    return encode_group(from, inputs_.target_pieces, covers, segments, settings().coding.window_bytes, substitutions, pool_.watch());
  };
  return encode_in_pieces(outlines, settings().coding.window_bytes, cuts, encode_one, pool_);
}

// With programs each stretch of a sample is a group.
std::vector<GroupOutline> BodyCoder::sampled_outline(const ProgramPass* programs) const {
  if (!programs) return {*sample_};
  std::vector<GroupOutline> outlines;
  for (const Segment& segment : *sample_) outlines.push_back(with_prediction({segment}, programs->predicted_ranges()));
  return outlines;
}

BodyDraft BodyCoder::draft(const Covers& covers, const SubstitutionTable* substitutions, const ProgramPass* programs) {
  const std::vector<GroupOutline> outlines = sample_ ? sampled_outline(programs) : outlines_of(covers, programs);
  return {encode(covers, outlines, substitutions, programs), programs, substitutions};
}

BodyDraft BodyCoder::draft_predicted(const ProgramPass& programs) { return draft(programs.covers(), nullptr, &programs); }

BodyDraft BodyCoder::draft(const Chosen& chosen) {
  return draft(chosen.covers, chosen.substitution_table(), chosen.programs.get());
}

}  // namespace bdelta
