// The steps of making a patch, as a flat list.
#include "create/patch_making.hpp"

#include <algorithm>
#include <utility>

#include "base/try.hpp"
#include "bdelta/apply.hpp"
#include "create/cover_chooser.hpp"
#include "create/foretold.hpp"
#include "create/settled_budget.hpp"
#include "view/find_streams.hpp"
#include "view/member_alignment.hpp"

namespace bdelta {

CreateTask PatchMaking::task() const {
  RandomReader& source = views_ ? views_->source_view() : source_;
  RandomReader& target = views_ ? views_->target_view() : target_;
  return {source, target, options_, timeline_, watch_, trees_, views_.get()};
}

// None if streams were found meanwhile: the patch is then to be made of views.
Result<std::optional<Patch>> PatchMaking::make_patch(bool looks_for_streams) {
  const CreateTask task = this->task();
  task.watch.set_total(task.target_file().size());
  BDELTA_TRY(CreateWork::check_limits(task));
  BDELTA_ASSIGN(Budget budget, make_budget(CreateWork::request_of(task)));
  CreateWork work(task, std::move(budget));

  // The pair, and what memory there is for it.
  BDELTA_ASSIGN(CreateInputs inputs, load_inputs(task, work));
  const std::vector<LeftOut> left_out = settle_budget(task, inputs, work);
  BDELTA_ASSIGN(InputDigests digests, digest_inputs(task, inputs, work));
  PatchBody body(task, inputs, work);
  BDELTA_TRY(body.add_containers());

  // What the files have others in place of before covers are found, and what one search tells of them.
  const MemberPair members = find_members(task, inputs, work);
  inputs.member_ranges = view::align_members(members.source, members.target);
  ImagesOfPair images = find_images(task, inputs, work);
  BDELTA_ASSIGN(const Fills fills, take_fills(task, members, images, inputs, work));
  BDELTA_TRY(body.add_fills(fills));
  Survey survey = survey_pair(inputs, work);
  if (looks_for_streams && hides_streams(survey, inputs, work)) {
    BDELTA_TRY(open_views(true));
    if (views_) return std::optional<Patch>();
  }
  std::unique_ptr<ProgramPass> programs;
  if (images.may_be_predicted()) programs = find_programs(std::move(images), std::exchange(survey.plain, {}), inputs, work);
  if (images.may_have_objects && !programs) {
    BDELTA_ASSIGN(const MovedNumbers numbers, take_moved_numbers(inputs, work));
    BDELTA_TRY(body.add_moved_numbers(numbers));
    if (!numbers.lists.empty()) survey = survey_pair(inputs, work);
  }

  // The body, segment by segment of NEW; most pairs are one.
  {
    CoverChooser chooser(inputs, work, body);
    for (const ByteRange& segment : segments_of(inputs, work.budget())) {
      BDELTA_TRY(load_segment(segment, inputs, work, digests));
      BDELTA_ASSIGN(Chosen chosen, chooser.choose(std::exchange(survey, {}), std::exchange(programs, nullptr)));
      BDELTA_TRY(body.add(std::move(chosen)));
    }
  }
  inputs.forget_segment();
  digests.finish_target();
  BDELTA_ASSIGN(Patch patch, body.finish(digests));
  patch.report.left_out = left_out;
  BDELTA_TRY(self_check(task, inputs, work, patch));
  return std::optional<Patch>(std::move(patch));
}

// Of views first, if the files are archives. Those are given up that whoever applies has no room for, or that make it larger.
Result<Patch> PatchMaking::make() {
  BDELTA_ASSIGN(const bool may, may_unpack());
  if (may) BDELTA_TRY(open_views(false));
  const bool looks_for_streams = !views_ && options_.unpack != Unpack::kNone && options_.format != PatchFormat::kBdt1;
  BDELTA_ASSIGN(std::optional<Patch> patch, make_patch(looks_for_streams));
  if (!patch) {
    BDELTA_ASSIGN(patch, make_patch(false));
  }
  if (UnpackReport::Streams* const fault = views_ ? fault_of_views(*patch) : nullptr) {
    patch.reset();
    *fault = std::exchange(unpack_.unpacked, {});
    views_.reset();
    BDELTA_ASSIGN(patch, make_patch(false));
  }
  report_streams(task(), unpack_, patch->report);
  return std::move(*patch);
}

// Why the patch is to be made without, or null. Without them what changed of NEW costs no more than its bytes.
UnpackReport::Streams* PatchMaking::fault_of_views(const Patch& patch) {
  if (patch.report.decoder_memory_bytes > ApplyOptions().memory_limit_bytes) return &unpack_.no_room;
  const bool may_be_larger = options_.unpack == Unpack::kAll;
  return !may_be_larger && patch.size() > views_->changed_bytes() ? &unpack_.unlike : nullptr;
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
