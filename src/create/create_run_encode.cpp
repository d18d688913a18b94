// From covers to the body of the patch: which of several sets of covers, then groups of streams, coded and appended.
#include "create/create_run.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "create/progress_shares.hpp"

namespace bdelta {
namespace {

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

std::vector<GroupPlan> CreateRun::plan_of(const Covers& covers) {
  return plan_groups(source_pieces_, target_pieces_, segment_, covers, budget_.plan_bytes, *pool_,
                     budget_.settings.plain_bytes, source_reader_.size());
}

// The bytes of the groups that the covers would make.
Result<std::uint64_t> CreateRun::coded_size(const Covers& covers, Measure measure) {
  const std::vector<GroupPlan> plans = plan_of(covers);
  std::vector<GroupDraft> drafts = encode_groups(covers, plans, 0, plans.size());
  const Span step(&timeline_, PhaseId::kCompress);
  const ContentsInputs inputs = measure == Measure::kWithoutContents ? ContentsInputs() : contents_inputs({});
  return writer_->measure_groups(drafts, inputs, measure == Measure::kAll);
}

// The same with prediction.
Result<std::uint64_t> CreateRun::predicted_size(Measure measure) {
  std::vector<GroupDraft> contents = predicted_groups();
  std::vector<GroupDraft> covers;
  for (const GroupDraft& group : contents) covers.push_back(covers_of(group));
  const std::uint64_t plan_bytes = programs_->plan().images.size() + programs_->plan().labels.size();
  const Span step(&timeline_, PhaseId::kCompress);
  const ContentsInputs inputs =
      measure == Measure::kWithoutContents ? ContentsInputs() : contents_inputs(programs_->copied());
  BDELTA_ASSIGN(const std::uint64_t contents_bytes, writer_->measure_groups(contents, inputs, false));
  BDELTA_ASSIGN(const std::uint64_t cover_bytes, writer_->measure_groups(covers, inputs, false));
  return plan_bytes + contents_bytes + cover_bytes;
}

// Of the first `count` sets of covers. begin, end: of the stage's work. `bytes`: what the best one takes.
Result<std::size_t> CreateRun::smallest_of(std::size_t count, Measure measure, double begin, double end,
                                           std::uint64_t& bytes) {
  std::size_t best = 0;
  bytes = ~std::uint64_t{0};
  for (std::size_t i = 0; i < count; ++i) {
    const double share = static_cast<double>(i + 1) / static_cast<double>(count);
    watch_.begin_stage(begin + (end - begin) * share, segment_.end - segment_.begin);
    BDELTA_ASSIGN(const std::uint64_t own_bytes, coded_size(found_[i], measure));
    if (own_bytes < bytes) bytes = own_bytes, best = i;
  }
  return best;
}

// With slow contents, coding each set by them would take too long. So the best without contents and, where little
// changes, the best by the light model are found first, and only these two are coded as they will be.
Status CreateRun::choose_covers() {
  std::size_t best = 0;
  const bool with_prediction = programs_ && programs_->in_doubt();
  if ((found_.size() > 1 && writer_) || with_prediction) {
    set_segment_range(share::kMatched, share::kChosen);
    const bool slow = budget_.settings.contents;
    const Measure measure = slow ? Measure::kWithoutContents : Measure::kLight;
    const std::size_t usual_count = std::min(found_.size(), budget_.settings.match.parse_params.costs.size());
    const bool both = slow && found_.size() > usual_count;
    std::uint64_t best_bytes = 0;
    BDELTA_ASSIGN(best, smallest_of(slow ? usual_count : found_.size(), measure, 0, both ? 0.3 : 1, best_bytes));
    if (with_prediction) {
      BDELTA_ASSIGN(const std::uint64_t bytes, predicted_size(measure));
      if (bytes < best_bytes) {
        found_.assign(1, programs_->plan().covers);
        best = 0;
      } else {
        programs_.reset();
      }
    }
    if (both && found_.size() > 1) {
      BDELTA_ASSIGN(const std::size_t other, smallest_of(found_.size(), Measure::kLight, 0.3, 0.7, best_bytes));
      if (other != best) {
        BDELTA_ASSIGN(const std::uint64_t bytes, coded_size(found_[best], Measure::kAll));
        BDELTA_ASSIGN(const std::uint64_t other_bytes, coded_size(found_[other], Measure::kAll));
        if (other_bytes < bytes) best = other;
      }
    }
  }
  covers_ = std::move(found_[best]);
  found_.clear();
  return {};
}

// Whether the groups with words, and the record of these, are smaller than without.
Result<bool> CreateRun::are_words_smaller(const native::CodedWords& words) {
  const auto measure = [this] {
    return programs_ ? predicted_size(Measure::kLight) : coded_size(covers_, Measure::kLight);
  };
  BDELTA_ASSIGN(const std::uint64_t bytes_without, measure());
  words_ = words.map;
  const Result<std::uint64_t> bytes_with = measure();
  words_.reset();
  BDELTA_TRY(bytes_with);
  return *bytes_with + words.record.size() < bytes_without;
}

// Whether the groups of these covers are smaller than those of covers_, coded as they will be.
Result<bool> CreateRun::are_covers_smaller(const Covers& covers) {
  const Measure measure = budget_.settings.contents ? Measure::kAll : Measure::kLight;
  BDELTA_ASSIGN(const std::uint64_t bytes_before, coded_size(covers_, measure));
  BDELTA_ASSIGN(const std::uint64_t bytes, coded_size(covers, measure));
  return bytes < bytes_before;
}

// Both files as contents are packed from. predicted: what copies give; empty where nothing is predicted.
ContentsInputs CreateRun::contents_inputs(ByteSpan predicted) {
  if (budget_.source_whole) source_memory_.emplace(source_.bytes());
  if (budget_.target_whole) target_memory_.emplace(target_.bytes());
  return {budget_.source_whole ? &*source_memory_ : &source_reader_,
          budget_.target_whole ? &*target_memory_ : &target_reader_, predicted, words_ ? &*words_ : nullptr};
}

Status CreateRun::encode() {
  set_segment_range(share::kChosen, 1);
  if (writer_) writer_->set_inputs(contents_inputs(programs_ ? programs_->copied() : ByteSpan()));
  if (options_.format == PatchFormat::kBdt1) {
    BDELTA_TRY(encode_bdt1());
  } else {
    count_covers();
    BDELTA_TRY(programs_ ? encode_predicted() : encode_native());
  }
  Covers().swap(covers_);
  return {};
}

// The groups [begin, end) of the plan.
std::vector<GroupDraft> CreateRun::encode_groups(const Covers& covers, const std::vector<GroupPlan>& plans,
                                                 std::size_t begin, std::size_t end) {
  const Span step(&timeline_, PhaseId::kEncode);
  std::vector<GroupDraft> drafts(end - begin);
  pool_->for_each(drafts.size(), [&](std::size_t i) {
    const GroupPlan& plan = plans[begin + i];
    const Span span(&timeline_, PhaseId::kEncode, begin + i, target_bytes(plan));
    drafts[i] = encode_group(source_pieces_, target_pieces_, covers, plan, budget_.settings.window_bytes,
                             words_ ? &*words_ : nullptr, &watch_, source_reader_.size());
  });
  return drafts;
}

Status CreateRun::write_groups(std::vector<GroupDraft> groups) {
  {
    const Span step(&timeline_, PhaseId::kCompress);
    BDELTA_TRY(writer_->add_groups(groups));
  }
  for (const GroupDraft& group : groups) count_group(group);
  return {};
}

// What a group adds to the report. Of one that became literals, copies are none after all.
void CreateRun::count_group(const GroupDraft& group) {
  report_.window_count += group.windows.size();
  report_.residual_bytes += group.streams[kResidualValues].size();
  if (group.target.empty() || group.streams[kLiterals].size() < group.target.size()) return;
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
    std::vector<GroupDraft> groups = joiner_->add(encode_groups(covers_, plans, begin, end));
    watch_.begin_stage(after, stream_bytes(groups));
    BDELTA_TRY(write_groups(std::move(groups)));
  }
  return {};
}

// What copies give by prediction takes the place of the source, and the covers stand before all groups.
std::vector<GroupDraft> CreateRun::predicted_groups() {
  const FilePieces copied(programs_->copied());
  std::vector<Segment> segments;
  for (std::uint64_t pos = 0; pos < target_reader_.size(); pos += budget_.settings.group_bytes) {
    segments.push_back({pos, std::min(budget_.settings.group_bytes, target_reader_.size() - pos), false, 0});
  }
  std::vector<GroupDraft> contents(segments.size());
  {
    const Span step(&timeline_, PhaseId::kEncode);
    pool_->for_each(segments.size(), [&](std::size_t i) {
      const Span span(&timeline_, PhaseId::kEncode, i, segments[i].target_length);
      contents[i] = encode_contents(copied, target_pieces_, programs_->plan().covers, segments[i],
                                    budget_.settings.window_bytes, words_ ? &*words_ : nullptr, &watch_);
    });
  }
  return contents;
}

Status CreateRun::encode_predicted() {
  watch_.begin_stage(0.2, target_reader_.size());
  std::vector<GroupDraft> contents = predicted_groups();
  std::vector<GroupDraft> covers;
  for (const GroupDraft& group : contents) covers.push_back(covers_of(group));
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
  std::uint64_t covered = 0;
  for (const Cover& cover : covers_) covered += cover.length;
  report_.covered_bytes += covered;
  report_.literal_bytes += segment_.end - segment_.begin - covered;
}

}  // namespace bdelta
