// The steps of making a patch, as a flat list.

#include <algorithm>
#include <utility>

#include "base/try.hpp"
#include "bdelta/apply.hpp"
#include "create/cover_chooser.hpp"
#include "create/create_task.hpp"
#include "create/derived.hpp"
#include "create/settled_budget.hpp"
#include "view/find_streams.hpp"
#include "view/member_alignment.hpp"

namespace bdelta {
namespace {

// One patch for files, made of these or of their views where they hold compressed streams.
class PatchMaking {
 public:
  explicit PatchMaking(const CreateTask& files) : files_(files) {}

  Result<Patch> make();

 private:
  [[nodiscard]] CreateTask task() const;
  Result<std::optional<Patch>> make_patch(bool looks_for_streams);
  UnpackReport::Streams* fault_of_views(const Patch& patch);
  Status open_views(bool scans);
  [[nodiscard]] Result<bool> may_unpack() const;

  const CreateTask& files_;
  UnpackReport unpack_;
  std::uint64_t needed_bytes_ = 0;  // a limit of memory that has room for views, where there is none; else 0
  std::unique_ptr<FileViews> views_;  // null where files are taken as they are
};

CreateTask PatchMaking::task() const {
  const CreateTask& of = files_;
  if (!views_) return of;
  return {views_->source_view(), views_->target_view(), of.options, of.timeline, of.watch, of.trees, views_.get(), of.uses_models};
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

  // What the files have others in place of before covers are found, and what one search tells of them.
  const MemberPair members = find_members(task, inputs, work);
  inputs.member_ranges = view::align_members(members.source, members.target);
  ImagesOfPair images = find_images(task, inputs, work);
  BDELTA_ASSIGN(const Fills fills, take_fills(task, members, images, inputs, work));
  BDELTA_TRY(body.add_fills(fills));
  Survey survey = survey_pair(inputs, work);
  if (looks_for_streams && hides_streams(survey, inputs, work, unpack_.unscanned)) {
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
  const bool looks_for_streams = !views_ && files_.options.unpack != Unpack::kNone && files_.is_native();
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
  if (!views_ && needed_bytes_ != 0) patch->report.left_out.push_back({"unpacking", needed_bytes_});
  report_streams(task(), unpack_, *patch);
  return std::move(*patch);
}

// Why the patch is to be made without, or null. Without them what changed of NEW costs no more than its bytes.
UnpackReport::Streams* PatchMaking::fault_of_views(const Patch& patch) {
  if (patch.report.decoder_memory_bytes > ApplyOptions().memory_limit_bytes) return &unpack_.no_room;
  const bool may_be_larger = files_.options.unpack == Unpack::kAll;
  return !may_be_larger && patch.size() > views_->changed_bytes() ? &unpack_.unlike : nullptr;
}

Result<bool> PatchMaking::may_unpack() const {
  RandomReader& target = files_.target;
  if (files_.options.unpack == Unpack::kNone || !files_.is_native()) return false;
  if (std::max(files_.source.size(), target.size()) >= kMaxFileBytes) return false;  // make_patch says so
  return files_.trees ? may_have_archives(target, files_.trees->target_parts()) : view::may_be_archive(target);
}

Status PatchMaking::open_views(bool scans) {
  const auto& [source, target, options, timeline, watch, trees, views, uses_models] = files_;
  watch.set_phase(PhaseId::kUnpack);
  watch.set_total(target.size());
  WorkerPool pool(thread_count_for(options.threads), &timeline, &watch);
  unpack_ = {};
  needed_bytes_ = 0;
  const Span span(&timeline, PhaseId::kUnpack, TraceSpan::kNone, target.size());
  BDELTA_ASSIGN(views_, FileViews::make(source, target, trees, scans, options, pool, unpack_, needed_bytes_));
  return {};
}

}  // namespace

Result<Patch> make_any_patch(const CreateTask& files) { return PatchMaking(files).make(); }

Result<Patch> make_patch(const CreateTask& files) {
  BDELTA_ASSIGN(Patch patch, make_any_patch(files));
  if (files.options.max_apply_seconds == 0) return patch;
  return keep_to_apply_limit(files, std::move(patch));
}

}  // namespace bdelta
