// The windows of a patch, from the reader to the sink of NEW.
#include <algorithm>
#include <string>

#include "apply/apply_run.hpp"
#include "apply/source_proof.hpp"
#include "base/checked.hpp"
#include "base/try.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kMostBytes = ~std::uint64_t{0};  // of a NEW whose size is not known

}  // namespace

// What windows add up to is NEW; one follows the other.
Status ApplyRun::place(const WindowDelta& window) {
  if (window.target_pos != decoded_pos_ || !range_fits(decoded_pos_, window.target_length, target_bytes_.value_or(kMostBytes))) {
    return Error{ErrorCode::kPatchCorrupt, "its windows reach beyond the size of NEW", patch_.position()};
  }
  decoded_pos_ += window.target_length;
  BDELTA_TRY(check_target_size(target_bytes_ ? 0 : decoded_pos_));
  const bool in_slices = window.is_plain() && !window.has_checksum;
  return in_slices ? Status() : check_window_bytes(window.target_length);
}

// Decoded and proven to stay inside both files; false behind the last one.
Result<bool> ApplyRun::next_window(WindowDelta& window) {
  Span span(timeline(), PhaseId::kDecode, report_.window_count);
  const std::uint64_t before = patch_.position();
  BDELTA_ASSIGN(const bool more, reader_->next(window));
  span.set_bytes(patch_.position() - before);
  if (more) {
    BDELTA_TRY(validate_window(window, copied_source().size(), format_->capabilities));
    BDELTA_TRY(place(window));
  } else if (decoded_pos_ != target_bytes_.value_or(decoded_pos_)) {
    return Error{ErrorCode::kPatchCorrupt, "it ends after " + std::to_string(decoded_pos_) + " of " +
                                               std::to_string(*target_bytes_) + " bytes of NEW", patch_.position()};
  }
  return more;
}

void ApplyRun::count(const WindowDelta& window) {
  ++report_.window_count;
  for (const DeltaOp& op : window.ops) {
    const bool copies = is_copy(op.kind);
    report_.cover_count += copies;
    (copies ? report_.covered_bytes : report_.literal_bytes) += op.length;
  }
  report_.residual_bytes += window.residual_values.size();
}

void ApplyRun::begin_target(const TargetSink& sink) {
  own_watch_.set_phase(PhaseId::kExecute);
  pool_.begin_stage(1, target_bytes_.value_or(0));
  if (!plan_->fills.empty()) filler_.emplace(plan_->fills);
  TargetSink into = views_ ? views_->rebuild_into(sink, pool_, rebuilds_alone_ ? 1 : pool_.thread_count()) : sink;
  into.tap = tap_;
  digest_target_ = into.digest;
  const std::uint64_t history_bytes = std::min(info().history_bytes, target_bytes_.value_or(kMostBytes));
  pipeline_.emplace(copied_source(), predicted_.get(), filler_ ? &*filler_ : nullptr, history_bytes, into, pool_);
}

Result<bool> ApplyRun::execute_windows(std::uint64_t until_target_pos) {
  Result<bool> more = true;
  do {
    WindowDelta* const window = pipeline_->acquire();
    if (!window) break;
    more = next_window(*window);
    if (!more || !*more) break;
    count(*window);
    pipeline_->submit(window);
  } while (decoded_pos_ < until_target_pos);
  // A window that failed stands before the place where decoding failed, and a stream whose text had come before that window.
  Status settled = pipeline_->settle();
  if (views_) BDELTA_TRY(views_->settle(!settled || !more || !*more));
  BDELTA_TRY(std::move(settled));
  return more;
}

Status ApplyRun::finish_target() {
  BDELTA_ASSIGN(Digest128 digest, pipeline_->finish());
  if (digest_target_) {
    BDELTA_ASSIGN(digest, digest_target_());
  }
  target_digest_ = digest;
  report_.residual_bytes += pipeline_->changed_count();
  own_watch_.set_total(info().target_size.value_or(decoded_pos_));
  pool_.begin_stage(1, 0);
  if (info().target_digest && digest != *info().target_digest) {
    return Error{ErrorCode::kTargetDigest, expected_and_found(*info().target_digest, digest) + "; fetch the patch again",
                 pipeline_->delivered_bytes()};
  }
  report_.verified = info().target_digest.has_value();
  report_.target_digests.xxh3_128 = info().target_digest;
  return {};
}

Status ApplyRun::write_target(const TargetSink& sink) {
  begin_target(sink);
  BDELTA_ASSIGN(const bool more, execute_windows(~std::uint64_t{0}));
  return more ? Status(Error{ErrorCode::kInternal, "the windows did not end"}) : finish_target();
}

}  // namespace bdelta
