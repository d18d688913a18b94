// From covers to the body of the patch: groups of streams, coded and appended.
#include "create/create_run.hpp"

#include <algorithm>
#include <utility>

#include "base/try.hpp"
#include "create/group_pieces.hpp"
#include "create/progress_shares.hpp"

namespace bdelta {
namespace {

constexpr std::size_t kFewCovers = std::size_t{1} << 16;       // of a plan that is kept: they take 1.5 MiB
constexpr std::size_t kCalmBytes = std::size_t{32} << 10;  // literals and misses of a group that are few

std::uint64_t stream_bytes(const std::vector<GroupDraft>& drafts) {
  std::uint64_t bytes = 0;
  for (const GroupDraft& draft : drafts) bytes += draft.stream_bytes();
  return bytes;
}

std::uint64_t target_bytes(const GroupPlan& plan) {
  std::uint64_t bytes = 0;
  for (const Segment& segment : plan) bytes += segment.target_length;
  return bytes;
}

}  // namespace

// Asked for again and again while ways are compared. Where few covers copy much, it takes as long as all else of a draft.
std::vector<GroupPlan> CreateRun::plan_of(const Covers& covers) {
  const bool is_known = known_plan_ && known_plan_->segment_begin == segment_.begin && known_plan_->covers == covers;
  if (is_known) return known_plan_->groups;
  std::vector<GroupPlan> groups = plan_groups(source_pieces_, target_pieces_, segment_, covers, budget_.plan_bytes, *pool_,
                                              budget_.settings.plain_bytes, source_reader_.size());
  if (covers.size() <= kFewCovers) known_plan_ = KnownPlan{covers, segment_.begin, groups};
  return groups;
}

// Both files as contents are packed from, and what copies give: by prediction, with `words`, which may be null.
ContentsInputs CreateRun::contents_inputs(bool predicted, const WordMap* words) {
  if (budget_.source_whole) source_memory_.emplace(source_.bytes());
  if (budget_.target_whole) target_memory_.emplace(target_.bytes());
  return {budget_.source_whole ? &*source_memory_ : &source_reader_,
          budget_.target_whole ? &*target_memory_ : &target_reader_,
          predicted ? programs_->copied() : ByteSpan(), words};
}

Status CreateRun::encode() {
  set_segment_range(share::kChosen, 1);
  if (writer_) writer_->set_inputs(contents_inputs(programs_ != nullptr, words()));
  if (options_.format == PatchFormat::kBdt1) {
    BDELTA_TRY(encode_bdt1());
  } else {
    count_covers();
    if (words_) BDELTA_TRY(writer_->add_words(*words_));
    BDELTA_TRY(coded_ ? write_coded() : programs_ ? encode_predicted() : encode_native());
  }
  Covers().swap(covers_);
  return {};
}

// The groups of `plans` as encode(segments, window_bytes) makes them. Where there is little to share among lanes, the heads
// of many windows are what costs.
template <class Encode>
std::vector<GroupDraft> CreateRun::with_fitting_windows(std::span<const GroupPlan> plans, const Encode& encode) {
  const Span step(&timeline_, PhaseId::kEncode);
  const LevelSettings& settings = budget_.settings;
  // Joining pieces takes memory, and what the fast levels gain by a piece for each thread is less than that takes.
  const bool cuts = budget_.ample && settings.match.parse;
  const auto encode_all = [&](std::span<const GroupPlan> groups, std::uint64_t window_bytes) {
    const auto one = [&](std::size_t group, const GroupPlan& segments) {
      const Span span(&timeline_, PhaseId::kEncode, group, target_bytes(segments));
      return encode(segments, window_bytes);
    };
    return encode_in_pieces(groups, window_bytes, cuts, one, *pool_);
  };
  std::vector<GroupDraft> drafts = encode_all(plans, settings.window_bytes);
  if (settings.calm_window_bytes == 0) return drafts;
  std::vector<std::size_t> calm;
  std::vector<GroupPlan> calm_plans;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    if (drafts[i].streams[kLiterals].size() + drafts[i].streams[kResidualValues].size() > kCalmBytes) continue;
    calm.push_back(i);
    calm_plans.push_back(plans[i]);
  }
  std::vector<GroupDraft> calm_drafts = encode_all(calm_plans, settings.calm_window_bytes);
  for (std::size_t i = 0; i < calm.size(); ++i) drafts[calm[i]] = std::move(calm_drafts[i]);
  return drafts;
}

std::vector<GroupDraft> CreateRun::encode_groups(const Covers& covers, std::span<const GroupPlan> plans) {
  return with_fitting_windows(plans, [&](const GroupPlan& segments, std::uint64_t window_bytes) {
    return encode_group(source_pieces_, target_pieces_, covers, segments, window_bytes, words(), &watch_,
                        source_reader_.size());
  });
}

Status CreateRun::write_groups(std::vector<GroupDraft> groups) {
  {
    const Span step(&timeline_, PhaseId::kCompress);
    BDELTA_TRY(writer_->add_groups(groups));
  }
  for (const GroupDraft& group : groups) {
    count_group(group, group.streams[kLiterals].size(), group.streams[kResidualValues].size());
  }
  return {};
}

// What was coded for comparing it.
Status CreateRun::write_coded() {
  const CodedBody body = *std::exchange(coded_, {});
  if (programs_) BDELTA_TRY(writer_->add_coded_plan(programs_->plan(), body.covers, programs_->apply_bytes()));
  BDELTA_TRY(writer_->add_coded(body.groups));
  for (std::size_t g = 0; g < body.groups.drafts.size(); ++g) {
    const StreamSizes& raw_bytes = body.groups.choices[g].raw_bytes;
    count_group(body.groups.drafts[g], raw_bytes[kLiterals], raw_bytes[kResidualValues]);
  }
  return {};
}

// What a group adds to the report. Of one that became literals, copies are none after all.
void CreateRun::count_group(const GroupDraft& group, std::uint64_t literal_bytes, std::uint64_t residual_bytes) {
  report_.window_count += group.windows.size();
  report_.residual_bytes += residual_bytes;
  if (group.target.empty() || literal_bytes < group.target.size()) return;
  report_.cover_count -= group.cover_count;
  report_.covered_bytes -= group.covered_bytes;
  report_.literal_bytes += group.covered_bytes;
}

Status CreateRun::encode_native() {
  const std::vector<GroupPlan> plans = plan_of(covers_);
  const auto batch_groups = std::max<std::size_t>(1, static_cast<std::size_t>(budget_.batch_bytes / budget_.plan_bytes));
  for (std::size_t begin = 0; begin < plans.size(); begin += batch_groups) {
    const std::size_t end = std::min(begin + batch_groups, plans.size());
    const double before = static_cast<double>(begin) / static_cast<double>(plans.size());
    const double after = static_cast<double>(end) / static_cast<double>(plans.size());
    std::uint64_t batch_bytes = 0;
    for (std::size_t i = begin; i < end; ++i) batch_bytes += target_bytes(plans[i]);
    watch_.begin_stage(before + 0.2 * (after - before), batch_bytes);
    std::vector<GroupDraft> groups = joiner_->add(encode_groups(covers_, std::span(plans).subspan(begin, end - begin)));
    watch_.begin_stage(after, stream_bytes(groups));
    BDELTA_TRY(write_groups(std::move(groups)));
  }
  return {};
}

// What copies give by prediction takes the place of the source, and the covers stand before all groups. Of a sample there
// are more of these, and shorter ones.
std::vector<GroupDraft> CreateRun::predicted_groups() {
  const FilePieces copied(programs_->copied());
  std::vector<GroupPlan> plans;
  const auto add = [&](const Segment& segment) { plans.push_back({segment}); };
  if (sample_) std::for_each(sample_->begin(), sample_->end(), add);
  for (std::uint64_t pos = 0; pos < target_reader_.size() && !sample_; pos += budget_.settings.group_bytes) {
    add({pos, std::min(budget_.settings.group_bytes, target_reader_.size() - pos), false, 0});
  }
  return with_fitting_windows(plans, [&](const GroupPlan& segments, std::uint64_t window_bytes) {
    return encode_contents(copied, target_pieces_, programs_->plan().covers, segments.front(), window_bytes, words(),
                           &watch_);
  });
}

Status CreateRun::encode_predicted() {
  watch_.begin_stage(0.2, target_reader_.size());
  std::vector<GroupDraft> contents = predicted_groups();
  std::vector<GroupDraft> covers = covers_of(contents);
  watch_.begin_stage(1, stream_bytes(contents));
  {
    const Span step(&timeline_, PhaseId::kCompress);
    BDELTA_TRY(writer_->add_plan(programs_->plan(), covers, programs_->apply_bytes()));
  }
  return write_groups(std::move(contents));
}

Status CreateRun::encode_bdt1() {
  const Span step(&timeline_, PhaseId::kEncode, TraceSpan::kNone, segment_.end - segment_.begin);
  watch_.begin_stage(0.5, segment_.end - segment_.begin);
  covers_ = bdt1::lower_covers(source_pieces_, target_pieces_, covers_, &watch_);
  count_covers();
  watch_.begin_stage(1, segment_.end - segment_.begin);
  return bdt1_writer_->add(target_pieces_, segment_.end, covers_);
}

Status CreateRun::finish_native() {
  std::vector<GroupDraft> last = joiner_->finish();
  watch_.begin_stage(1, stream_bytes(last));
  BDELTA_TRY(write_groups(std::move(last)));
  BDELTA_TRY(writer_->finish());
  native::Header header;
  header.source_size = source_reader_.size();
  header.target_size = target_reader_.size();
  header.source_digest = source_digest_;
  header.target_digest = target_digest_;
  writer_->declare(header);
  report_.decoder_memory_bytes = header.decoder_memory_bytes;
  head_ = native::encode_header(header);
  if (options_.group_digests) {
    append(head_, writer_->encode_digests());
    report_.head_sha256 = sha256(head_);
  }
  for (std::size_t i = 0; i < kStreamCount; ++i) {
    report_.streams.push_back({stream_name(i), writer_->totals().raw[i], writer_->totals().coded[i]});
  }
  return {};
}

void CreateRun::count_covers() {
  report_.cover_count += covers_.size();
  const std::uint64_t covered = covered_bytes(covers_);
  report_.covered_bytes += covered;
  report_.literal_bytes += segment_.end - segment_.begin - covered;
}

}  // namespace bdelta
