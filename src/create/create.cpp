// The steps of making a patch, as a flat list.
#include "create/patch_making.hpp"

#include <algorithm>
#include <utility>

#include "base/try.hpp"
#include "bdelta/apply.hpp"
#include "view/find_streams.hpp"

namespace bdelta {

// Null if streams were found meanwhile: the patch is then to be made of views.
Result<std::unique_ptr<CreateRun>> PatchMaking::make_patch(bool looks_for_streams) {
  auto made = std::make_unique<CreateRun>(views_ ? views_->source_view() : source_, views_ ? views_->target_view() : target_,
                                          options_, timeline_, watch_, views_.get(), trees_);
  CreateRun& run = *made;
  BDELTA_TRY(run.check_limits());
  BDELTA_TRY(run.load_inputs());
  BDELTA_TRY(run.digest_inputs());
  run.settle_budget();
  run.begin_patch();
  BDELTA_TRY(run.add_trees());
  BDELTA_TRY(run.add_views());
  CreateRun::Members members = run.find_members();
  CreateRun::Images images = run.find_images();
  BDELTA_TRY(run.find_fills(std::move(members), images));
  Survey survey = run.survey();
  if (looks_for_streams && run.hides_streams(survey)) {
    BDELTA_TRY(open_views(true));
    if (views_) return std::unique_ptr<CreateRun>();
  }
  std::unique_ptr<ProgramPass> programs;
  if (images.may_be_predicted()) programs = run.find_programs(images, std::exchange(survey.plain, {}));
  if (images.may_have_objects && !programs) {
    BDELTA_ASSIGN(const bool is_edited, run.move_numbers());
    if (is_edited) survey = run.survey();
  }
  for (const TargetRange& segment : run.segments()) {
    BDELTA_TRY(run.load_segment(segment));
    BDELTA_ASSIGN(Chosen chosen, run.choose(std::exchange(survey, {}), std::exchange(programs, nullptr)));
    BDELTA_TRY(run.encode(std::move(chosen)));
  }
  BDELTA_TRY(run.finish_body());
  BDELTA_TRY(run.self_check());
  return made;
}

// Of views first, if the files are archives. Those are given up that whoever applies has no room for, or that make it larger.
Status PatchMaking::make() {
  BDELTA_ASSIGN(const bool may, may_unpack());
  if (may) BDELTA_TRY(open_views(false));
  const bool looks_for_streams = !views_ && options_.unpack != Unpack::kNone && options_.format != PatchFormat::kBdt1;
  BDELTA_ASSIGN(run_, make_patch(looks_for_streams));
  if (!run_) {
    BDELTA_ASSIGN(run_, make_patch(false));
  }
  if (UnpackReport::Streams* const fault = views_ ? fault_of_views() : nullptr) {
    run_.reset();
    *fault = std::exchange(unpack_.unpacked, {});
    views_.reset();
    BDELTA_ASSIGN(run_, make_patch(false));
  }
  run_->report_streams(unpack_);
  return {};
}

// Why the patch is to be made without, or null. Without them what changed of NEW costs no more than its bytes.
UnpackReport::Streams* PatchMaking::fault_of_views() {
  if (run_->decoder_memory_bytes() > ApplyOptions().memory_limit_bytes) return &unpack_.no_room;
  const bool may_be_larger = options_.unpack == Unpack::kAll;
  return !may_be_larger && run_->patch_bytes() > views_->changed_bytes() ? &unpack_.unlike : nullptr;
}

Result<bool> PatchMaking::may_unpack() const {
  if (options_.unpack == Unpack::kNone || options_.format == PatchFormat::kBdt1) return false;
  if (std::max(source_.size(), target_.size()) >= kMaxFileBytes) return false;  // the run says so
  return trees_ ? may_have_archives(target_, trees_->target_parts()) : view::may_be_archive(target_);
}

Status PatchMaking::open_views(bool scans) {
  watch_.set_phase(PhaseId::kUnpack);
  watch_.set_total(target_.size());
  WorkerPool pool(thread_count_for(options_.threads), &timeline_, &watch_);
  unpack_ = {};
  const Span span(&timeline_, PhaseId::kUnpack, TraceSpan::kNone, target_.size());
  BDELTA_ASSIGN(views_, FileViews::make(source_, target_, trees_, scans, options_, pool, unpack_));
  return {};
}

}  // namespace bdelta
