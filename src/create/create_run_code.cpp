// What a way of covers takes in the patch: its groups as drafts, coded, or estimated.
#include "create/create_run.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/try.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kLongBytes = std::uint64_t{1} << 20;  // of streams that take half a second to code: an estimate must do

}  // namespace

std::uint64_t CreateRun::BodyDraft::stream_bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const GroupDraft& draft : groups) bytes += draft.stream_bytes();
  return bytes;
}

bool CreateRun::BodyDraft::copies_target() const noexcept {
  return std::any_of(groups.begin(), groups.end(), [](const GroupDraft& draft) { return draft.copies_target; });
}

bool CreateRun::BodyDraft::is_long() const noexcept { return stream_bytes() > kLongBytes; }

// The groups of one of the ways, not yet coded.
CreateRun::BodyDraft CreateRun::draft_body(const Covers& covers) {
  const std::vector<GroupPlan> plans = sample_ ? std::vector<GroupPlan>{*sample_} : plan_of(covers);
  return {encode_groups(covers, plans), false, words()};
}

CreateRun::BodyDraft CreateRun::draft_predicted_body() { return {predicted_groups(), true, words()}; }

CreateRun::BodyDraft CreateRun::draft_way(std::size_t way) {
  return way == found_.size() ? draft_predicted_body() : draft_body(found_[way]);
}

// Of programs_, coded once for all ways.
Result<std::uint64_t> CreateRun::plan_bytes() {
  if (!plan_bytes_) {
    BDELTA_ASSIGN(plan_bytes_, writer_->plan_bytes(programs_->plan()));
  }
  return *plan_bytes_;
}

Result<CreateRun::CodedBody> CreateRun::code_body(BodyDraft draft, Measure measure) {
  const Span step(&timeline_, PhaseId::kCompress);
  ContentsInputs inputs;
  if (measure != Measure::kWithoutContents) inputs = contents_inputs(draft.predicted, draft.words);
  const bool slow = measure == Measure::kAll;
  CodedBody body;
  body.is_long = draft.is_long();
  if (draft.predicted) {
    BDELTA_ASSIGN(body.covers, writer_->code_groups(covers_of(draft.groups), inputs, slow));
    BDELTA_ASSIGN(const std::uint64_t record_bytes, plan_bytes());
    body.bytes += record_bytes + body.covers.bytes();
  }
  BDELTA_ASSIGN(body.groups, writer_->code_groups(std::move(draft.groups), inputs, slow));
  body.bytes += body.groups.bytes();
  return body;
}

// Those without prediction and with the same words are coded together, so that threads find enough to do.
Result<std::vector<CreateRun::CodedBody>> CreateRun::code_bodies(std::vector<BodyDraft> drafts, Measure measure) {
  BodyDraft together;
  together.words = drafts.front().words;
  const auto stands_alone = [&](const BodyDraft& draft) { return draft.predicted || draft.words != together.words; };
  std::vector<bool> long_ones;
  for (BodyDraft& draft : drafts) {
    long_ones.push_back(draft.is_long());
    if (stands_alone(draft)) continue;
    std::move(draft.groups.begin(), draft.groups.end(), std::back_inserter(together.groups));
  }
  BDELTA_ASSIGN(CodedBody coded, code_body(std::move(together), measure));
  std::size_t begin = 0;
  std::vector<CodedBody> bodies;
  for (BodyDraft& draft : drafts) {
    if (stands_alone(draft)) {
      BDELTA_ASSIGN(CodedBody body, code_body(std::move(draft), measure));
      bodies.push_back(std::move(body));
      continue;
    }
    bodies.push_back(part_of(coded, begin, draft.groups.size()));
    bodies.back().is_long = long_ones[bodies.size() - 1];
    begin += draft.groups.size();
  }
  return bodies;
}

// The groups [begin, begin + count), moved out of `all`.
CreateRun::CodedBody CreateRun::part_of(CodedBody& all, std::size_t begin, std::size_t count) {
  CodedBody body;
  const auto first = static_cast<std::ptrdiff_t>(begin);
  const auto last = static_cast<std::ptrdiff_t>(begin + count);
  native::CodedGroups& from = all.groups;
  body.groups.drafts.assign(std::make_move_iterator(from.drafts.begin() + first),
                            std::make_move_iterator(from.drafts.begin() + last));
  body.groups.choices.assign(std::make_move_iterator(from.choices.begin() + first),
                             std::make_move_iterator(from.choices.begin() + last));
  body.bytes = body.groups.bytes();
  return body;
}

Result<std::uint64_t> CreateRun::estimate_body(const BodyDraft& draft, native::Estimate estimate) {
  const Span step(&timeline_, PhaseId::kCompress);
  BDELTA_ASSIGN(std::uint64_t bytes, writer_->estimate_groups(draft.groups, estimate));
  if (!draft.predicted) return bytes;
  BDELTA_ASSIGN(const std::uint64_t cover_bytes, writer_->estimate_groups(covers_of(draft.groups), estimate));
  BDELTA_ASSIGN(const std::uint64_t record_bytes, plan_bytes());
  return bytes + record_bytes + cover_bytes;
}

}  // namespace bdelta
