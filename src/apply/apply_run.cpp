#include "apply/apply_run.hpp"

#include <algorithm>
#include <string>

#include "apply/source_proof.hpp"
#include "base/checked.hpp"
#include "base/memory_limit.hpp"
#include "base/try.hpp"
#include "view/recipe_memory.hpp"

namespace bdelta {
namespace {

constexpr std::size_t kPatchBufferBytes = 256 * 1024;

// A watch keeps a reference to its callback.
const Watch::Callback& no_progress() {
  static const Watch::Callback none;
  return none;
}

}  // namespace

ApplyRun::ApplyRun(RandomReader& source, SequentialReader& patch, const ApplyOptions& options, Formats formats)
    : source_(source), options_(options), own_watch_(options.progress, 0, options.time_limit_seconds),
      own_timeline_(options.trace),
      own_pool_(std::in_place, thread_count_for(options.threads), &own_timeline_, &own_watch_), pool_(*own_pool_),
      timed_patch_(patch, timeline(), watch()), patch_(timed_patch_, kPatchBufferBytes), formats_(formats) {}

ApplyRun::ApplyRun(RandomReader& source, SequentialReader& patch, const ApplyOptions& options, WorkerPool& pool)
    : source_(source), options_(options), own_watch_(no_progress()), pool_(pool),
      timed_patch_(patch, timeline(), watch()), patch_(timed_patch_, kPatchBufferBytes) {}

Status ApplyRun::read_header() {
  const Span span(timeline(), PhaseId::kDecode);
  if (!(options_.time_limit_seconds >= 0)) return Error{ErrorCode::kUsage, "expected a time limit that is not negative"};
  pool_.begin_stage(0, 0);
  BDELTA_ASSIGN(format_, recognise_format(patch_, formats_));
  BDELTA_ASSIGN(reader_, format_->open(patch_, reachable_limit(options_.memory_limit_bytes)));
  if (tap_) reader_->measure(*tap_);
  own_watch_.set_total(info().target_size.value_or(0));
  BDELTA_TRY(check_kind());
  if (!info().target_size && !format_->capabilities.target_size_at_end) {
    return Error{ErrorCode::kInternal, "its reader does not tell the size of NEW"};
  }
  BDELTA_TRY(check_target_size(info().target_size.value_or(0)));
  BDELTA_TRY(check_window_bytes(info().window_bytes));
  return options_.expected_head_sha256 ? check_held_parts() : Status();
}

Status ApplyRun::check_kind() const {
  if (info().of_tree == static_cast<bool>(digest_source_tree_)) return {};
  return info().of_tree ? Error{.code = ErrorCode::kNotADirectory,
                                .detail = "the patch is from one directory to another",
                                .remedy = "give directories as OLD and NEW"}
                        : Error{.code = ErrorCode::kIsDirectory,
                                .detail = "the patch is from one file to another",
                                .remedy = "give files as OLD and NEW"};
}

Status ApplyRun::check_target_size(std::uint64_t bytes) const {
  if (bytes <= options_.output_limit_bytes) return {};
  return Error{.code = ErrorCode::kOutputLimit,
               .detail = std::to_string(bytes) + " bytes, the limit is " + std::to_string(options_.output_limit_bytes),
               .remedy = "raise output_limit_bytes",
               .needed_bytes = bytes};
}

Status ApplyRun::check_window_bytes(std::uint64_t bytes) const {
  if (bytes <= options_.window_limit_bytes) return {};
  return Error{.code = ErrorCode::kMemoryLimit,
               .detail = "windows of up to " + std::to_string(bytes) + " bytes, the limit is " +
                         std::to_string(options_.window_limit_bytes),
               .remedy = "raise window_limit_bytes",
               .needed_bytes = bytes};
}

Status ApplyRun::check_held_parts() const {
  const std::uint64_t limit = options_.memory_limit_bytes;  // not less than what the decoder takes
  if (info().group_bytes <= limit - info().decoder_memory_bytes) return {};
  std::uint64_t needed_bytes = 0;
  if (!checked_add(info().group_bytes, info().decoder_memory_bytes, needed_bytes)) needed_bytes = 0;
  return beyond_memory_limit("the patch has parts of " + std::to_string(info().group_bytes) + " bytes and takes " +
                                 std::to_string(info().decoder_memory_bytes) + " to decode them", limit, needed_bytes);
}

Status ApplyRun::verify_source() {
  BDELTA_TRY(check_source());
  if (format_->capabilities.source_while_decoding) reader_->use_source(source_);
  if (format_->capabilities.zeros_beyond_source) padded_source_.emplace(source_);
  return {};
}

// The digest is taken where it decides: whether OLD fits or, if its size is another, whether it already is NEW.
Status ApplyRun::check_source() {
  const bool fits = !info().source_size || *info().source_size == source_.size();
  const bool may_be_target = info().target_digest && info().target_size == source_.size();
  std::optional<Digest128> found;
  pool_.begin_stage(shares().hashed(), source_.size());
  if (fits ? info().source_digest && !source_verified_ : may_be_target) {
    own_watch_.set_phase(PhaseId::kHash);
    const Span span(timeline(), PhaseId::kHash, TraceSpan::kNone, source_.size());
    BDELTA_ASSIGN(found, digest_source());
  }
  if (fits && found) report_.source_digests.xxh3_128 = *found;
  if (fits && (!found || *found == *info().source_digest)) return {};
  Error error = wrong_source(info(), source_.size(), fits ? found : std::nullopt);
  if (may_be_target && found && *found == *info().target_digest) error.remedy = "OLD already is NEW, so nothing is to be done";
  return error;
}

Result<Digest128> ApplyRun::digest_source() {
  return digest_source_tree_ ? digest_source_tree_(pool_) : digest_of(source_, watch());
}

ApplyShares ApplyRun::shares() const noexcept {
  const bool hashes = info().source_digest && !source_verified_;
  return {info(), source_.size(), hashes, pool_.thread_count()};
}

Result<bool> ApplyRun::read_plan() {
  const Span span(timeline(), PhaseId::kPredict);
  BDELTA_ASSIGN(plan_, reader_->read_plan());
  return plan_ != nullptr;
}

Status ApplyRun::prepare() {
  own_watch_.set_phase(PhaseId::kPredict);
  pool_.begin_stage(shares().hashed(), 0);
  while (!plan_) BDELTA_TRY(read_plan());
  BDELTA_TRY(open_views());
  target_bytes_ = info_of_views().target_size;
  BDELTA_TRY(prepare_source());
  return tap_ ? begin_tap() : Status();
}

Status ApplyRun::begin_tap() {
  AppliedFiles files;
  files.info = &info();
  files.format = format_->name;
  files.source = &viewed_source();
  files.target_bytes = target_bytes_.value_or(0);
  if (views_) {
    files.source_parts = views_->source_parts();
    files.target_parts = views_->target_parts();
  }
  files.source_manifest = source_manifest_;
  files.tree = plan_->tree ? &*plan_->tree : nullptr;
  return tap_->begin(files);
}

Status ApplyRun::open_views() {
  if (plan_->views.empty()) return {};
  own_watch_.set_phase(PhaseId::kUnpack);
  const Span span(timeline(), PhaseId::kUnpack, TraceSpan::kNone, plan_->views.back().source_view_bytes);
  BDELTA_ASSIGN(views_, AppliedViews::make(source_, plan_->views, made_bytes(), &pool_, view_room(), tap_ != nullptr, known_views_));
  return {};
}

// What the patch declares has room for a part of OLD's views; what the limit has beyond that, for as much more.
ViewRoom ApplyRun::view_room() const {
  const std::uint64_t limit = reachable_limit(options_.memory_limit_bytes);
  const std::uint64_t taken_bytes = info().decoder_memory_bytes + std::min(limit, info().group_bytes);
  std::uint64_t undeclared = 0;
  for (std::size_t i = 0; i < plan_->views.size(); ++i) undeclared = std::max(undeclared, undeclared_bytes(plan_->views, i));
  return {.spare_bytes = limit - std::min(limit, taken_bytes),
          .limit_bytes = limit,
          .needed_bytes = taken_bytes + undeclared,
          .temp_dir = options_.files.temp_dir};
}

RandomReader& ApplyRun::viewed_source() noexcept {
  if (views_) return views_->source();
  return padded_source_ ? *padded_source_ : source_;
}

// As the windows are about them.
PatchInfo ApplyRun::info_of_views() const {
  PatchInfo views = info();
  if (plan_->tree) views.target_size = plan_->tree->made_bytes;
  if (!views_) return views;
  views.source_size = views_->source_bytes();
  views.target_size = views_->target_view_bytes();
  return views;
}

Status ApplyRun::prepare_source() {
  own_watch_.set_phase(PhaseId::kPredict);
  const Span span(timeline(), PhaseId::kPredict, TraceSpan::kNone, source_.size());
  if (!plan_->moved_numbers.lists.empty()) {
    BDELTA_ASSIGN(moved_source_, MovedSource::make(viewed_source(), plan_->moved_numbers, watch()));
  }
  if (!plan_->prediction) return {};
  const ApplyShares of_all = shares();
  BDELTA_ASSIGN(predicted_, PredictedCopies::make(copied_source(), *plan_->prediction, info_of_views(),
                                                  options_.memory_limit_bytes, pool_, &of_all));
  return {};
}

void ApplyRun::skip_rest() {
  pool_.begin_stage(1, 0);
  pool_.begin_stage(1, 0);  // the first comes to where the second begins
}

Report ApplyRun::take_report() {
  report_.source_bytes = source_.size();
  report_.target_bytes = info().target_size.value_or(decoded_pos_);
  report_.patch_bytes = patch_.position();
  report_.patch_digests.sha256 = options_.expected_patch_sha256;
  report_.format = format_->name;
  report_.threads = pool_.thread_count();
  report_.phases = timeline()->phases(kApplyPhases);
  report_.wall_seconds = timeline()->elapsed_seconds();
  return std::move(report_);
}

Report ApplyRun::up_to_date_report() {
  Report report = take_report();
  report.up_to_date = true;
  report.verified = info().target_digest.has_value();
  report.target_digests.xxh3_128 = info().target_digest;
  return report;
}

void ApplyRun::update_times(Report& report) const noexcept {
  timeline()->update(report.phases, kApplyPhases);
  report.wall_seconds = timeline()->elapsed_seconds();
}

}  // namespace bdelta
