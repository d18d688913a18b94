// The frame of the work: limits, ranges, and what comes when all segments are done.
#include "create/create_run.hpp"

#include <algorithm>
#include <string>

#include "base/checked.hpp"
#include "base/try.hpp"
#include "create/self_check.hpp"
#include "format/patch_limit.hpp"

namespace bdelta {
namespace {

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

}  // namespace

CreateRun::CreateRun(RandomReader& source, RandomReader& target, const CreateOptions& options, Timeline& timeline,
                     Watch& watch, const FileViews* views, const TreePair* trees)
    : options_(options), views_(views), trees_(trees),
      patch_limit_bytes_(patch_limit(options, trees ? trees->target_bytes() : views ? views->target_file().size() : target.size())),
      timeline_(timeline), watch_(watch),
      inputs_{source, target, {}, {}} {
  watch_.set_total(target_file().size());
}

Status CreateRun::check_limits() {
  BDELTA_TRY(check_level(options_.level));
  if (!(options_.max_patch_ratio >= 0) || !(options_.time_limit_seconds >= 0)) {
    return Error{ErrorCode::kUsage, "expected limits of ratio and time that are not negative"};
  }
  watch_.begin_stage(0, 0);
  const std::uint64_t larger = std::max(source_size(), target_size());
  if (larger >= kMaxFileBytes) {
    return Error{ErrorCode::kFileTooLarge, std::to_string(larger) + " bytes, it has to be below 1 TiB"};
  }
  if (options_.format == PatchFormat::kBdt1) {
    if (options_.group_digests) {
      return Error{.code = ErrorCode::kFormatCannotHold,
                   .detail = "BDT version 1 has no place for a list of digests",
                   .remedy = "use PatchFormat::kBdt2, or leave group_digests out"};
    }
    BDELTA_TRY(bdt1::check_sizes(source_size(), target_size()));
  }
  BudgetRequest& request = budget_request_;
  request.level = options_.level;
  request.limit_bytes = options_.memory_limit_bytes;
  if (views_ && request.limit_bytes != 0) request.limit_bytes -= std::min(request.limit_bytes - 1, views_->held_bytes());
  request.threads = thread_count_for(options_.threads);
  request.verify = options_.verify;
  request.source_size = source_size();
  request.target_size = target_size();
  request.source_view = !inputs_.source_reader.view().empty();
  request.target_view = !inputs_.target_reader.view().empty();
  BDELTA_ASSIGN(budget_, make_budget(request));
  pool_.emplace(budget_.threads, &timeline_, &watch_);
  work_.emplace(options_.level, budget_.settings, WorkEstimate::Files{source_size(), target_size()}, options_.verify);
  return {};
}

void CreateRun::begin_patch() {
  work_->set_surveys(budget_.ample);
  const LevelSettings& settings = budget_.settings;
  body_.emplace(spool_options(options_, budget_.spool_bytes));
  if (options_.format == PatchFormat::kBdt1) {
    literals_.emplace(spool_options(options_, budget_.spool_bytes));
    bdt1_writer_.emplace(*body_, *literals_, patch_limit_bytes_, watch_);
    return;
  }
  native::WriterSettings of_writer{settings.numbers, settings.values, settings.literals, settings.model,
                                   settings.model_values, settings.apply_byte_ns, settings.window_bytes,
                                   patch_limit_bytes_, budget_.codec_bytes, budget_.draft_bytes,
                                   settings.model_bytes};
  of_writer.model_misses = settings.model_bytes;
  of_writer.model_most_bytes = settings.model_most_bytes;
  of_writer.model_target_share = settings.model_target_share;
  writer_.emplace(of_writer, *body_, *pool_);
  coder_.emplace(budget_, inputs_, *writer_, *pool_);
  coder_->on_coding([this](const CodingBytes& streams, std::uint64_t units) {
    work_->set_streams(streams);
    begin_step(WorkStep::kCode);
    watch_.begin_stage(1, units);
  });
  if (options_.group_digests) writer_->list_digests();
  joiner_.emplace(GroupLimits{settings.group_bytes, budget_.draft_bytes});
}

Status CreateRun::add_trees() { return trees_ ? writer_->add_tree(trees_->plan()) : Status(); }

Status CreateRun::add_views() {
  return views_ ? writer_->add_views(views_->plans()) : Status();
}

std::vector<TargetRange> CreateRun::segments() const {
  std::vector<TargetRange> segments;
  const std::uint64_t size = target_size();
  for (std::uint64_t pos = 0; pos < size; pos += budget_.segment_bytes) {
    segments.push_back({pos, std::min(pos + budget_.segment_bytes, size)});
  }
  return segments;
}

Status CreateRun::finish_body() {
  matcher_.reset();
  gathered_.reset();
  if (joiner_ && !budget_.target_whole) joiner_->forget_target();
  Bytes().swap(segment_bytes_);
  begin_step(WorkStep::kCode);
  if (target_hasher_) report_.target_digests = target_hasher_->finish();
  BDELTA_TRY(bdt1_writer_ ? finish_bdt1() : finish_native());
  return patch_bytes() <= patch_limit_bytes_ ? Status() : Status(patch_too_large(patch_limit_bytes_));
}

Status CreateRun::finish_bdt1() {
  watch_.begin_stage(1, literals_->size());
  BDELTA_ASSIGN(head_, bdt1_writer_->finish(source_size()));
  return {};
}

Status CreateRun::self_check() {
  if (!options_.verify) return {};
  begin_step(WorkStep::kVerify);
  const Step step(*pool_, PhaseId::kVerify, target_size());
  timeline_.count_all_as(PhaseId::kVerify);
  io::MemoryReader source(inputs_.source.bytes());
  io::MemoryReader target(inputs_.target.bytes());
  const bool is_as_given = budget_.target_whole && fills_.empty();
  const bool source_is_as_given = budget_.source_whole && moved_numbers_.lists.empty();
  const bool is_limited = options_.memory_limit_bytes != 0;
  RandomReader& checked_source = views_ ? source_file() : source_is_as_given ? source : inputs_.source_reader;
  RandomReader& checked_target = views_ ? target_file() : is_as_given ? target : inputs_.target_reader;
  std::function<Result<Digest128>(const view::TreePlan&)> tree_digest;
  if (trees_) tree_digest = [this](const view::TreePlan& plan) { return trees_->digest_as_applied(plan); };
  Status checked = check_patch(checked_source, checked_target, head_, *body_, *pool_, is_limited, tree_digest);
  timeline_.count_all_as({});
  BDELTA_TRY(std::move(checked));
  report_.verified = true;
  return {};
}

Status CreateRun::write(SequentialWriter& patch) {
  report_.patch_bytes = patch_bytes();
  const Step step(*pool_, PhaseId::kWrite, report_.patch_bytes);
  watch_.begin_part(1);
  watch_.begin_stage(1, report_.patch_bytes);
  std::optional<FileHasher> hasher;
  if (options_.digest_patch) hasher.emplace(true);
  const auto put = [&](ByteSpan bytes) {
    if (hasher) {
      const Span span(&timeline_, PhaseId::kHash, TraceSpan::kNone, bytes.size());
      hasher->update(bytes);
    }
    return patch.write(bytes);
  };
  BDELTA_TRY(put(head_));
  BDELTA_ASSIGN(const auto body, body_->open_reader());
  Bytes buffer(static_cast<std::size_t>(std::min<std::uint64_t>(body_->size() + 1, std::uint64_t{1} << 20)));
  for (;;) {
    BDELTA_ASSIGN(const std::size_t count, body->read(buffer));
    if (count == 0) break;
    BDELTA_TRY(put(ByteSpan(buffer).first(count)));
    watch_.advance(count);
  }
  if (hasher) report_.patch_digests = hasher->finish();
  watch_.begin_stage(1, 0);
  return {};
}

Status CreateRun::finish(SequentialWriter& patch) {
  const Step step(*pool_, PhaseId::kFinish);
  return patch.finish();
}

Report CreateRun::take_report() {
  report_.source_bytes = source_file().size();
  report_.target_bytes = whole_target_bytes();
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
