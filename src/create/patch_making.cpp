// The steps of making a patch, as a flat list.
#include "create/patch_making.hpp"

#include <algorithm>
#include <utility>

#include "base/try.hpp"
#include "bdelta/apply.hpp"
#include "view/find_streams.hpp"

namespace bdelta {

// False if the run is given up for one of views.
Result<bool> PatchMaking::make_patch(CreateRun& run) {
  BDELTA_TRY(run.check_limits());
  BDELTA_TRY(run.load_inputs());
  BDELTA_TRY(run.digest_inputs());
  run.settle_budget();
  run.begin_patch();
  BDELTA_TRY(run.add_trees());
  BDELTA_TRY(run.add_views());
  run.find_members();
  run.find_images();
  BDELTA_TRY(run.find_fills());
  run.find_programs();
  BDELTA_TRY(run.move_numbers());
  for (const TargetRange& segment : run.segments()) {
    BDELTA_TRY(run.load_segment(segment));
    BDELTA_TRY(run.find_covers());
    BDELTA_ASSIGN(const bool has_views, finds_views(run));
    if (has_views) return false;
    BDELTA_TRY(run.choose_covers());
    BDELTA_TRY(run.find_substitutions());
    BDELTA_TRY(run.find_target_copies());
    BDELTA_TRY(run.compare_prediction());
    BDELTA_TRY(run.encode());
  }
  BDELTA_TRY(run.finish_body());
  BDELTA_TRY(run.self_check());
  return true;
}

Status PatchMaking::make() {
  BDELTA_TRY(open_views(false));
  for (;;) {
    run_.emplace(views_ ? views_->source_view() : source_, views_ ? views_->target_view() : target_, options_, timeline_, watch_,
                 views_.get(), trees_);
    BDELTA_ASSIGN(const bool is_made, make_patch(*run_));
    if (is_made && (!views_ || run_->decoder_memory_bytes() <= ApplyOptions().memory_limit_bytes)) {
      run_->report_streams(unpack_);
      return {};
    }
    run_.reset();
    if (!is_made) continue;
    scanned_ = true;
    unpack_.no_room = std::exchange(unpack_.unpacked, {});
    views_.reset();
  }
}

// Of files that are no archives, if there are streams where they change.
Result<bool> PatchMaking::finds_views(const CreateRun& run) {
  if (views_ || scanned_ || options_.unpack == Unpack::kNone || options_.format == PatchFormat::kBdt1) return false;
  scanned_ = true;
  if (!run.hides_streams()) return false;
  BDELTA_TRY(open_views(true));
  return views_ != nullptr;
}

Result<bool> PatchMaking::may_unpack() const {
  if (options_.unpack == Unpack::kNone || options_.format == PatchFormat::kBdt1) return false;
  if (std::max(source_.size(), target_.size()) >= kMaxFileBytes) return false;  // the run says so
  return trees_ ? may_have_archives(target_, trees_->target_parts()) : view::may_be_archive(target_);
}

Status PatchMaking::open_views(bool scans) {
  BDELTA_ASSIGN(const bool may, may_unpack());
  if (!scans && !may) return {};
  watch_.set_phase(PhaseId::kUnpack);
  watch_.set_total(target_.size());
  WorkerPool pool(thread_count_for(options_.threads), &timeline_, &watch_);
  unpack_ = {};
  const Span span(&timeline_, PhaseId::kUnpack, TraceSpan::kNone, target_.size());
  BDELTA_ASSIGN(views_, FileViews::make(source_, target_, trees_, scans, options_, pool, unpack_));
  return {};
}

}  // namespace bdelta
