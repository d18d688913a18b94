#include "create/create_run.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/checked.hpp"
#include "base/try.hpp"
#include "create/self_check.hpp"
#include "format/patch_limit.hpp"
#include "match/source_index.hpp"

namespace bdelta {
namespace {

// Shares of the whole work after which a step ends, as it is for a usual pair at a middle level.
constexpr double kLoaded = 0.02;
constexpr double kDigested = 0.04;
constexpr double kSegmentsDone = 0.89;
constexpr double kEncoded = 0.9;
// The same for a segment, in shares of its own.
constexpr double kSegmentLoaded = 0.04;
constexpr double kMatched = 0.55;
constexpr double kChosen = 0.6;

io::SpoolOptions spool_options(const CreateOptions& options, std::uint64_t memory_bytes) {
  io::SpoolOptions spool;
  spool.memory_bytes = memory_bytes;
  spool.directory = options.temp_dir;
  return spool;
}

// Bytes of the largest patch that is of use.
std::uint64_t patch_limit(const CreateOptions& options, std::uint64_t target_size) {
  constexpr double kBeyondAll = 1e18;
  const double limit = options.max_patch_ratio * static_cast<double>(target_size);
  return options.max_patch_ratio > 0 && limit < kBeyondAll ? static_cast<std::uint64_t>(limit) : ~std::uint64_t{0};
}

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

// Takes in bytes that may have to come from a disk meanwhile.
void hash_watched(ByteSpan bytes, Watch& watch, Xxh3Hasher& hasher) {
  constexpr std::size_t kPieceBytes = 256 * 1024;
  while (!bytes.empty()) {
    const ByteSpan piece = bytes.first(std::min(kPieceBytes, bytes.size()));
    hasher.update(piece);
    watch.advance(piece.size());
    bytes = bytes.subspan(piece.size());
  }
}

Digest128 digest_of(ByteSpan bytes, Watch& watch) {
  Xxh3Hasher hasher;
  hash_watched(bytes, watch, hasher);
  return hasher.digest();
}

}  // namespace

CreateRun::CreateRun(RandomReader& source, RandomReader& target, const CreateOptions& options)
    : source_reader_(source), target_reader_(target), options_(options),
      patch_limit_bytes_(patch_limit(options, target.size())), timeline_(options.trace),
      watch_(options.progress, target.size(), options.time_limit_seconds) {}

Status CreateRun::check_limits() {
  if (options_.level < kMinLevel || options_.level > kMaxLevel) {
    return Error{ErrorCode::kUsage, "expected a level from 1 to 9, or 10 for --max, found " + std::to_string(options_.level)};
  }
  if (!(options_.max_patch_ratio >= 0) || !(options_.time_limit_seconds >= 0)) {
    return Error{ErrorCode::kUsage, "expected limits of ratio and time that are not negative"};
  }
  watch_.begin_stage(0, 0);
  const std::uint64_t larger = std::max(source_reader_.size(), target_reader_.size());
  if (larger >= kMaxFileBytes) {
    return Error{ErrorCode::kFileTooLarge, "files below 1 TiB are handled, found " + std::to_string(larger) + " bytes"};
  }
  if (options_.format == PatchFormat::kBdt1) {
    if (options_.group_digests) {
      return Error{ErrorCode::kFormatCannotHold, "BDT version 1 has no place for a list of digests; use bdt2, or leave it out"};
    }
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
  pool_.emplace(budget_.threads, &timeline_, &watch_);
  body_.emplace(spool_options(options_, budget_.spool_bytes));
  if (options_.format == PatchFormat::kBdt1) {
    literals_.emplace(spool_options(options_, budget_.spool_bytes));
    bdt1_writer_.emplace(*body_, *literals_, patch_limit_bytes_, watch_);
  } else {
    writer_.emplace(native::WriterSettings{settings.numbers, settings.values, settings.literals, settings.model,
                                           settings.model_values, settings.model_byte_ns, settings.window_bytes,
                                           patch_limit_bytes_, budget_.codec_bytes, budget_.draft_bytes,
                                           settings.contents},
                    *body_, *pool_);
    if (options_.group_digests) writer_->list_digests();
    joiner_.emplace(GroupLimits{settings.group_bytes, budget_.draft_bytes});
  }
  return {};
}

// begin, end: shares of the segment at hand.
void CreateRun::set_segment_range(double begin, double end) {
  const double size = std::max(1.0, static_cast<double>(target_reader_.size()));
  const auto of_all = [&](double share) {
    const double length = static_cast<double>(segment_.end - segment_.begin);
    const double done = (static_cast<double>(segment_.begin) + share * length) / size;
    return kDigested + (kSegmentsDone - kDigested) * done;
  };
  watch_.set_range(of_all(begin), of_all(end));
}

Status CreateRun::load_inputs() {
  const Span span(&timeline_, PhaseId::kRead);
  watch_.begin_stage(kLoaded, (budget_.source_whole ? source_reader_.size() : 0) +
                                  (budget_.target_whole ? target_reader_.size() : 0));
  if (budget_.source_whole) {
    BDELTA_ASSIGN(source_, InputBytes::load(source_reader_, *pool_));
  }
  if (budget_.target_whole) {
    BDELTA_ASSIGN(target_, InputBytes::load(target_reader_, *pool_));
  }
  return {};
}

Status CreateRun::digest_inputs() {
  watch_.begin_stage(kDigested, source_reader_.size() + (budget_.target_whole ? target_reader_.size() : 0));
  pool_->for_each(2, [this](std::size_t i) {
    if (!(i == 0 ? budget_.source_whole : budget_.target_whole)) return;
    const ByteSpan bytes = (i == 0 ? source_ : target_).bytes();
    const Span span(&timeline_, PhaseId::kHash, i, bytes.size());
    (i == 0 ? source_digest_ : target_digest_) = digest_of(bytes, watch_);
  });
  if (budget_.source_whole) {
    matcher_.emplace(source_.bytes(), budget_.settings.match, budget_.match, *pool_);
    source_pieces_ = FilePieces(source_.bytes());
  } else {
    gathered_.emplace(source_reader_, budget_, *pool_);
    BDELTA_ASSIGN(source_digest_, gathered_->survey());
  }
  return {};
}

// Prediction looks at both files as a whole, and takes the memory of both again.
Status CreateRun::find_programs() {
  const bool whole = budget_.source_whole && budget_.target_whole && options_.memory_limit_bytes == 0;
  if (!options_.predict || !budget_.settings.predict || !whole || !writer_) return {};
  watch_.set_range(kDigested, kDigested);
  programs_ = ProgramPass::begin(source_.bytes(), target_.bytes(), budget_.settings, *pool_);
  return {};
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
  if (joiner_) joiner_->forget_target();
  segment_bytes_.resize(static_cast<std::size_t>(length));
  {
    const Span span(&timeline_, PhaseId::kRead, TraceSpan::kNone, length);
    BDELTA_TRY(read_pieces(target_reader_, segment.begin, segment_bytes_, &watch_));
  }
  const Span span(&timeline_, PhaseId::kHash, TraceSpan::kNone, length);
  hash_watched(segment_bytes_, watch_, target_hasher_);
  target_pieces_ = FilePieces(segment_bytes_, segment.begin);
  return {};
}

Status CreateRun::load_segment(const TargetRange& segment) {
  segment_ = segment;
  set_segment_range(0, kSegmentLoaded);
  const std::uint64_t length = segment.end - segment.begin;
  watch_.begin_stage(1, (budget_.target_whole ? 0 : 2 * length) + (gathered_ ? length + budget_.gathered_bytes : 0));
  BDELTA_TRY(load_target(segment));
  if (!gathered_) return {};
  const ByteSpan bytes = target_pieces_.span(segment.begin, length);
  BDELTA_TRY(gathered_->gather(bytes, segment.begin, target_reader_.size()));
  source_pieces_ = gathered_->pieces();
  return {};
}

Status CreateRun::find_covers() {
  set_segment_range(kSegmentLoaded, kMatched);
  const ByteSpan target = target_pieces_.span(segment_.begin, segment_.end - segment_.begin);
  const auto from_end =
      static_cast<std::int64_t>(source_reader_.size()) - static_cast<std::int64_t>(target_reader_.size());
  if (programs_) {
    programs_->find_covers({0, from_end});
    if (!programs_->in_doubt()) {
      found_.assign(1, programs_->plan().covers);
      return {};
    }
  }
  if (gathered_) {
    Matcher matcher(gathered_->bytes(), budget_.settings.match, budget_.match, *pool_);
    found_ = matcher.find(target, gathered_->diagonals());
    for (Covers& covers : found_) covers = gathered_->place(std::move(covers));
  } else {
    const auto begin = static_cast<std::int64_t>(segment_.begin);
    found_ = matcher_->find(target, {begin, begin + from_end});
  }
  for (Covers& covers : found_) {
    for (Cover& cover : covers) cover.target_pos += segment_.begin;
  }
  return {};
}

// The bytes of the groups that the covers would make.
Result<std::uint64_t> CreateRun::coded_size(const Covers& covers) {
  const std::vector<GroupPlan> plans =
      plan_groups(source_pieces_, target_pieces_, segment_, covers, budget_.plan_bytes, *pool_);
  std::vector<GroupDraft> drafts = encode_groups(covers, plans, 0, plans.size());
  const Span step(&timeline_, PhaseId::kCompress);
  BDELTA_ASSIGN(const std::vector<std::uint64_t> sizes, writer_->measure_groups(drafts));
  return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
}

// The same with prediction.
Result<std::uint64_t> CreateRun::predicted_size() {
  std::vector<GroupDraft> contents = predicted_groups();
  std::vector<GroupDraft> covers;
  for (const GroupDraft& group : contents) covers.push_back(covers_of(group));
  std::uint64_t bytes = programs_->plan().images.size() + programs_->plan().labels.size();
  const Span step(&timeline_, PhaseId::kCompress);
  for (std::vector<GroupDraft>* groups : {&contents, &covers}) {
    BDELTA_ASSIGN(const std::vector<std::uint64_t> sizes, writer_->measure_groups(*groups));
    bytes = std::accumulate(sizes.begin(), sizes.end(), bytes);
  }
  return bytes;
}

Status CreateRun::choose_covers() {
  std::size_t best = 0;
  const bool with_prediction = programs_ && programs_->in_doubt();
  if ((found_.size() > 1 && writer_) || with_prediction) {
    set_segment_range(kMatched, kChosen);
    std::uint64_t best_bytes = ~std::uint64_t{0};
    for (std::size_t i = 0; i < found_.size(); ++i) {
      watch_.begin_stage(static_cast<double>(i + 1) / static_cast<double>(found_.size()), segment_.end - segment_.begin);
      BDELTA_ASSIGN(const std::uint64_t bytes, coded_size(found_[i]));
      if (bytes < best_bytes) best_bytes = bytes, best = i;
    }
    if (with_prediction) {
      BDELTA_ASSIGN(const std::uint64_t bytes, predicted_size());
      if (bytes < best_bytes) {
        found_.assign(1, programs_->plan().covers);
        best = 0;
      } else {
        programs_.reset();
      }
    }
  }
  covers_ = std::move(found_[best]);
  found_.clear();
  return {};
}

// Both files as contents are packed from.
ContentsInputs CreateRun::contents_inputs() {
  if (budget_.source_whole) source_memory_.emplace(source_.bytes());
  if (budget_.target_whole) target_memory_.emplace(target_.bytes());
  return {budget_.source_whole ? &*source_memory_ : &source_reader_,
          budget_.target_whole ? &*target_memory_ : &target_reader_, programs_ ? programs_->copied() : ByteSpan()};
}

Status CreateRun::encode() {
  set_segment_range(kChosen, 1);
  if (writer_) writer_->set_inputs(contents_inputs());
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
                             &watch_);
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
  const std::vector<GroupPlan> plans =
      plan_groups(source_pieces_, target_pieces_, segment_, covers_, budget_.plan_bytes, *pool_);
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
                                    budget_.settings.window_bytes, &watch_);
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

Status CreateRun::finish_body() {
  matcher_.reset();
  gathered_.reset();
  if (joiner_ && !budget_.target_whole) joiner_->forget_target();
  Bytes().swap(segment_bytes_);
  watch_.set_range(kSegmentsDone, kEncoded);
  if (!budget_.target_whole) target_digest_ = target_hasher_.digest();
  BDELTA_TRY(bdt1_writer_ ? finish_bdt1() : finish_native());
  return patch_bytes() <= patch_limit_bytes_ ? Status() : Status(patch_too_large(patch_limit_bytes_));
}

Status CreateRun::finish_bdt1() {
  watch_.begin_stage(1, literals_->size());
  BDELTA_ASSIGN(head_, bdt1_writer_->finish(source_reader_.size()));
  return {};
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

Status CreateRun::self_check() {
  watch_.set_range(kEncoded, 1);
  if (!options_.verify) return {};
  watch_.begin_stage(0.7, target_reader_.size());
  const Span step(&timeline_, PhaseId::kVerify, TraceSpan::kNone, target_reader_.size());
  timeline_.count_all_as(PhaseId::kVerify);
  io::MemoryReader source(source_.bytes());
  io::MemoryReader target(target_.bytes());
  Status checked = check_patch(budget_.source_whole ? source : source_reader_,
                               budget_.target_whole ? target : target_reader_, head_, *body_, *pool_);
  timeline_.count_all_as({});
  BDELTA_TRY(std::move(checked));
  report_.verified = true;
  return {};
}

Status CreateRun::write(SequentialWriter& patch) {
  report_.patch_bytes = patch_bytes();
  const Span step(&timeline_, PhaseId::kWrite, TraceSpan::kNone, report_.patch_bytes);
  watch_.begin_stage(1, report_.patch_bytes);
  BDELTA_TRY(patch.write(head_));
  BDELTA_ASSIGN(const auto body, body_->open_reader());
  Bytes buffer(static_cast<std::size_t>(std::min<std::uint64_t>(body_->size() + 1, std::uint64_t{1} << 20)));
  for (;;) {
    BDELTA_ASSIGN(const std::size_t count, body->read(buffer));
    if (count == 0) break;
    BDELTA_TRY(patch.write(ByteSpan(buffer).first(count)));
    watch_.advance(count);
  }
  watch_.begin_stage(1, 0);
  return {};
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

void CreateRun::update_times(Report& report) const noexcept {
  timeline_.update(report.phases, kCreatePhases);
  report.wall_seconds = timeline_.elapsed_seconds();
}

}  // namespace bdelta
