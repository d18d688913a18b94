#include "create/create_run.hpp"

#include <algorithm>
#include <string>

#include "base/try.hpp"
#include "create/self_check.hpp"
#include "io/memory_io.hpp"
#include "match/source_index.hpp"

namespace bdelta {
namespace {

constexpr double kInputShare = 0.1;   // of the progress: before the first segment
constexpr double kBodyShare = 0.9;    // behind the last one
constexpr double kFindShare = 0.6;    // of a segment's progress

io::SpoolOptions spool_options(const CreateOptions& options, std::uint64_t memory_bytes) {
  io::SpoolOptions spool;
  spool.memory_bytes = memory_bytes;
  spool.directory = options.temp_dir;
  return spool;
}

std::uint64_t target_bytes(const GroupPlan& plan) {
  std::uint64_t bytes = 0;
  for (const Segment& segment : plan) bytes += segment.target_length;
  return bytes;
}

}  // namespace

CreateRun::CreateRun(RandomReader& source, RandomReader& target, const CreateOptions& options)
    : source_reader_(source), target_reader_(target), options_(options), timeline_(options.trace) {}

Status CreateRun::check_limits() {
  if (options_.level < kMinLevel || options_.level > kMaxLevel) {
    return Error{ErrorCode::kUsage, "expected a level from 1 to 9, found " + std::to_string(options_.level)};
  }
  const std::uint64_t larger = std::max(source_reader_.size(), target_reader_.size());
  if (larger >= kMaxFileBytes) {
    return Error{ErrorCode::kFileTooLarge, "files below 1 TiB are handled, found " + std::to_string(larger) + " bytes"};
  }
  if (options_.format == PatchFormat::kBdt1) {
    BDELTA_TRY(bdt1::check_sizes(source_reader_.size(), target_reader_.size()));
  }
  BudgetRequest request;
  request.level = options_.level;
  request.limit_bytes = options_.memory_limit_bytes;
  request.threads = thread_count_for(options_.threads);
  request.verify = options_.verify;
  request.source_size = source_reader_.size();
  request.target_size = target_reader_.size();
  request.source_view = !source_reader_.view().empty();
  request.target_view = !target_reader_.view().empty();
  BDELTA_ASSIGN(budget_, make_budget(request));

  const LevelSettings& settings = budget_.settings;
  pool_.emplace(budget_.threads, &timeline_);
  body_.emplace(spool_options(options_, budget_.spool_bytes));
  if (options_.format == PatchFormat::kBdt1) {
    literals_.emplace(spool_options(options_, budget_.spool_bytes));
    bdt1_writer_.emplace(*body_, *literals_);
  } else {
    writer_.emplace(native::WriterSettings{settings.numbers, settings.values, settings.literals, budget_.codec_bytes},
                    *body_, *pool_);
    joiner_.emplace(GroupLimits{settings.group_bytes, budget_.draft_bytes}, *writer_);
  }
  return {};
}

Status CreateRun::report_progress(double share) {
  const std::uint64_t total = target_reader_.size();
  const auto done = static_cast<std::uint64_t>(share * static_cast<double>(total));
  if (options_.progress && !options_.progress(std::min(done, total), total)) return Error{ErrorCode::kCancelled, ""};
  return {};
}

// share: of the segment at hand.
Status CreateRun::report_segment(double share) {
  const double done = static_cast<double>(segment_.begin) + share * static_cast<double>(segment_.end - segment_.begin);
  const double total = std::max(1.0, static_cast<double>(target_reader_.size()));
  return report_progress(kInputShare + (kBodyShare - kInputShare) * done / total);
}

Status CreateRun::load_inputs() {
  const Span span(&timeline_, PhaseId::kRead);
  if (budget_.source_whole) {
    BDELTA_ASSIGN(source_, InputBytes::load(source_reader_, *pool_));
  }
  if (budget_.target_whole) {
    BDELTA_ASSIGN(target_, InputBytes::load(target_reader_, *pool_));
  }
  return report_progress(kInputShare / 2);
}

Status CreateRun::digest_inputs() {
  pool_->for_each(2, [this](std::size_t i) {
    if (!(i == 0 ? budget_.source_whole : budget_.target_whole)) return;
    const ByteSpan bytes = (i == 0 ? source_ : target_).bytes();
    const Span span(&timeline_, PhaseId::kHash, i, bytes.size());
    (i == 0 ? source_digest_ : target_digest_) = xxh3_128(bytes);
  });
  if (budget_.source_whole) {
    matcher_.emplace(source_.bytes(), budget_.settings.match, budget_.match, *pool_);
    source_pieces_ = FilePieces(source_.bytes());
  } else {
    gathered_.emplace(source_reader_, budget_, *pool_);
    const auto tick = [this](double share) { return static_cast<bool>(report_progress(kInputShare * share)); };
    BDELTA_ASSIGN(source_digest_, gathered_->survey(tick));
  }
  return report_progress(kInputShare);
}

std::vector<TargetRange> CreateRun::segments() const {
  std::vector<TargetRange> segments;
  const std::uint64_t size = target_reader_.size();
  for (std::uint64_t pos = 0; pos < size; pos += budget_.segment_bytes) {
    segments.push_back({pos, std::min(pos + budget_.segment_bytes, size)});
  }
  return segments;
}

Status CreateRun::load_target(const TargetRange& segment) {
  const std::uint64_t length = segment.end - segment.begin;
  if (budget_.target_whole) {
    target_pieces_ = FilePieces(target_.bytes());
    return {};
  }
  segment_bytes_.resize(static_cast<std::size_t>(length));
  {
    const Span span(&timeline_, PhaseId::kRead, TraceSpan::kNone, length);
    BDELTA_TRY(read_pieces(target_reader_, segment.begin, segment_bytes_));
  }
  const Span span(&timeline_, PhaseId::kHash, TraceSpan::kNone, length);
  target_hasher_.update(segment_bytes_);
  target_pieces_ = FilePieces(segment_bytes_, segment.begin);
  return {};
}

Status CreateRun::load_segment(const TargetRange& segment) {
  segment_ = segment;
  BDELTA_TRY(load_target(segment));
  if (!gathered_) return {};
  const ByteSpan bytes = target_pieces_.span(segment.begin, segment.end - segment.begin);
  BDELTA_TRY(gathered_->gather(bytes, segment.begin, target_reader_.size()));
  source_pieces_ = gathered_->pieces();
  return {};
}

Status CreateRun::find_covers() {
  const auto tick = [this](double share) { return static_cast<bool>(report_segment(kFindShare * share)); };
  const ByteSpan target = target_pieces_.span(segment_.begin, segment_.end - segment_.begin);
  if (gathered_) {
    Matcher matcher(gathered_->bytes(), budget_.settings.match, budget_.match, *pool_);
    covers_ = gathered_->place(matcher.find(target, gathered_->diagonals(), tick));
  } else {
    const auto begin = static_cast<std::int64_t>(segment_.begin);
    const auto from_end =
        static_cast<std::int64_t>(source_reader_.size()) - static_cast<std::int64_t>(target_reader_.size());
    covers_ = matcher_->find(target, {begin, begin + from_end}, tick);
  }
  for (Cover& cover : covers_) cover.target_pos += segment_.begin;
  return report_segment(kFindShare);
}

Status CreateRun::encode() {
  BDELTA_TRY(options_.format == PatchFormat::kBdt1 ? encode_bdt1() : encode_native());
  count_covers();
  Covers().swap(covers_);
  return {};
}

// The groups [begin, end) of the plan, and what they add to the report.
std::vector<GroupDraft> CreateRun::encode_groups(const std::vector<GroupPlan>& plans, std::size_t begin,
                                                 std::size_t end) {
  const Span step(&timeline_, PhaseId::kEncode);
  std::vector<GroupDraft> drafts(end - begin);
  pool_->for_each(drafts.size(), [&](std::size_t i) {
    const GroupPlan& plan = plans[begin + i];
    const Span span(&timeline_, PhaseId::kEncode, begin + i, target_bytes(plan));
    drafts[i] = encode_group(source_pieces_, target_pieces_, covers_, plan, budget_.settings.window_bytes);
  });
  for (const GroupDraft& draft : drafts) {
    report_.window_count += draft.windows.size();
    report_.residual_bytes += draft.streams[kResidualValues].size();
  }
  return drafts;
}

Status CreateRun::encode_native() {
  const std::vector<GroupPlan> plans =
      plan_groups(source_pieces_, target_pieces_, segment_, covers_, budget_.plan_bytes, *pool_);
  const auto batch_groups = std::max<std::size_t>(1, static_cast<std::size_t>(budget_.batch_bytes / budget_.plan_bytes));
  for (std::size_t begin = 0; begin < plans.size(); begin += batch_groups) {
    const std::size_t end = std::min(begin + batch_groups, plans.size());
    std::vector<GroupDraft> drafts = encode_groups(plans, begin, end);
    {
      const Span step(&timeline_, PhaseId::kCompress);
      BDELTA_TRY(joiner_->add(std::move(drafts)));
    }
    const double share = static_cast<double>(end) / static_cast<double>(plans.size());
    BDELTA_TRY(report_segment(kFindShare + (1 - kFindShare) * share));
  }
  return {};
}

Status CreateRun::encode_bdt1() {
  const Span step(&timeline_, PhaseId::kEncode, TraceSpan::kNone, segment_.end - segment_.begin);
  covers_ = bdt1::lower_covers(source_pieces_, target_pieces_, covers_);
  BDELTA_TRY(bdt1_writer_->add(target_pieces_, segment_.end, covers_));
  return report_segment(1.0);
}

Status CreateRun::finish_body() {
  matcher_.reset();
  gathered_.reset();
  Bytes().swap(segment_bytes_);
  if (!budget_.target_whole) target_digest_ = target_hasher_.digest();
  if (bdt1_writer_) {
    BDELTA_ASSIGN(head_, bdt1_writer_->finish(source_reader_.size()));
    return {};
  }
  {
    const Span step(&timeline_, PhaseId::kCompress);
    BDELTA_TRY(joiner_->finish());
    BDELTA_TRY(writer_->finish());
  }
  native::Header header;
  header.source_size = source_reader_.size();
  header.target_size = target_reader_.size();
  header.source_digest = source_digest_;
  header.target_digest = target_digest_;
  writer_->declare(header);
  head_ = native::encode_header(header);
  for (std::size_t i = 0; i < kStreamCount; ++i) {
    report_.streams.push_back({stream_name(i), writer_->totals().raw[i], writer_->totals().coded[i]});
  }
  return report_progress(kBodyShare);
}

void CreateRun::count_covers() {
  report_.cover_count += covers_.size();
  std::uint64_t covered = 0;
  for (const Cover& cover : covers_) covered += cover.length;
  report_.covered_bytes += covered;
  report_.literal_bytes += segment_.end - segment_.begin - covered;
}

Status CreateRun::self_check() {
  if (!options_.verify) return {};
  const Span step(&timeline_, PhaseId::kVerify, TraceSpan::kNone, target_reader_.size());
  timeline_.count_all_as(PhaseId::kVerify);
  io::MemoryReader source(source_.bytes());
  io::MemoryReader target(target_.bytes());
  Status checked = check_patch(budget_.source_whole ? source : source_reader_,
                               budget_.target_whole ? target : target_reader_, head_, *body_, *pool_);
  timeline_.count_all_as({});
  BDELTA_TRY(std::move(checked));
  report_.verified = true;
  return report_progress(0.95);
}

Status CreateRun::write(SequentialWriter& patch) {
  report_.patch_bytes = head_.size() + body_->size();
  const Span step(&timeline_, PhaseId::kWrite, TraceSpan::kNone, report_.patch_bytes);
  BDELTA_TRY(patch.write(head_));
  BDELTA_ASSIGN(const auto body, body_->open_reader());
  Bytes buffer(static_cast<std::size_t>(std::min<std::uint64_t>(body_->size() + 1, std::uint64_t{1} << 20)));
  for (;;) {
    BDELTA_ASSIGN(const std::size_t count, body->read(buffer));
    if (count == 0) break;
    BDELTA_TRY(patch.write(ByteSpan(buffer).first(count)));
  }
  return report_progress(1.0);
}

Status CreateRun::finish(SequentialWriter& patch) {
  const Span step(&timeline_, PhaseId::kFinish);
  return patch.finish();
}

Report CreateRun::take_report() {
  report_.source_bytes = source_reader_.size();
  report_.target_bytes = target_reader_.size();
  report_.format = options_.format == PatchFormat::kBdt1 ? "bdt1" : "bdt2";
  report_.level = options_.level;
  report_.threads = pool_->thread_count();
  report_.phases = timeline_.phases(kCreatePhases);
  report_.wall_seconds = timeline_.elapsed_seconds();
  return std::move(report_);
}

}  // namespace bdelta
