// From drafts of groups to what they take: coded, estimated, and compared.
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/deciding/choosing.hpp"
#include "base/try.hpp"
#include "create/body_coder.hpp"
#include "format/native/global_record.hpp"

namespace bdelta {
ModelledInputs BodyCoder::modelled_inputs(const ProgramPass* programs, const SubstitutionTable* substitutions) {
  if (budget_.source_whole) source_memory_.emplace(inputs_.source.bytes());
  if (budget_.target_whole) target_memory_.emplace(inputs_.target.bytes());
  return {budget_.source_whole ? &*source_memory_ : &inputs_.source_reader,
          budget_.target_whole ? &*target_memory_ : &inputs_.target_reader,
          programs ? programs->copied() : ByteSpan(), substitutions};
}

Result<std::uint64_t> BodyCoder::plan_bytes(const ProgramPass& programs) {
  if (!plan_bytes_) {
    BDELTA_ASSIGN(const Bytes record, native::encode_global(programs.plan(), settings().coding.literals));
    plan_bytes_ = record.size();
  }
  return *plan_bytes_;
}

Result<CodedBody> BodyCoder::code(BodyDraft draft) {
  const Step step(pool_, PhaseId::kCompress);
  const ModelledInputs inputs = modelled_inputs(draft.programs, draft.substitutions);
  CodedBody body;
  body.is_long = draft.is_long();
  if (on_coding_) on_coding_(streams_of(draft.groups), coding_units(draft.groups, settings().coding.model));
  if (draft.programs) {
    BDELTA_ASSIGN(body.covers, writer_.code_groups(covers_of(draft.groups), inputs));
    BDELTA_ASSIGN(const std::uint64_t record_bytes, plan_bytes(*draft.programs));
    body.bytes += record_bytes + body.covers.bytes();
  }
  BDELTA_ASSIGN(body.groups, writer_.code_groups(std::move(draft.groups), inputs));
  body.bytes += body.groups.bytes();
  return body;
}

// Those without prediction and with the same substitutions are coded together, so that threads find enough to do.
Result<std::vector<CodedBody>> BodyCoder::code_all(std::vector<BodyDraft> drafts) {
  BodyDraft together;
  together.substitutions = drafts.front().substitutions;
  const auto stands_alone = [&](const BodyDraft& draft) {
    return draft.programs || draft.substitutions != together.substitutions;
  };
  std::vector<bool> long_ones;
  for (BodyDraft& draft : drafts) {
    long_ones.push_back(draft.is_long());
    if (stands_alone(draft)) continue;
    std::move(draft.groups.begin(), draft.groups.end(), std::back_inserter(together.groups));
  }
  BDELTA_ASSIGN(CodedBody coded, code(std::move(together)));
  std::size_t begin = 0;
  std::vector<CodedBody> bodies;
  for (BodyDraft& draft : drafts) {
    if (stands_alone(draft)) {
      BDELTA_ASSIGN(CodedBody body, code(std::move(draft)));
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
CodedBody BodyCoder::part_of(CodedBody& all, std::size_t begin, std::size_t count) {
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

Status BodyCoder::code(Chosen& chosen) {
  if (chosen.coded) return {};
  BDELTA_ASSIGN(chosen.coded, code(draft(chosen)));
  return {};
}

Result<std::uint64_t> BodyCoder::estimate(const BodyDraft& draft, native::Estimate estimate) {
  const Step step(pool_, PhaseId::kCompress);
  BDELTA_ASSIGN(std::uint64_t bytes, estimate_groups(draft.groups, estimate));
  if (!draft.programs) return bytes;
  BDELTA_ASSIGN(const std::uint64_t cover_bytes, estimate_groups(covers_of(draft.groups), estimate));
  BDELTA_ASSIGN(const std::uint64_t record_bytes, plan_bytes(*draft.programs));
  return bytes + record_bytes + cover_bytes;
}

// Where both take long to code an estimate tells. It is wrong by little, and where little is to be gained. Coding both where
// it could not tell them by 0.4 % made patches of 21 pairs smaller by 0.01 %. But what their model makes of misses it knows
// badly, which levels that take their time find out.
bool BodyCoder::is_slow_to_code(const BodyDraft& a, const BodyDraft& b) const {
  if (settings().coding.numbers.id != CodecId::kLzma) return false;
  if (std::min(a.stream_bytes(), b.stream_bytes()) <= kQuickBytes) return false;
  return (a.is_long() && b.is_long()) || !(tries_modelled_misses(a) || tries_modelled_misses(b));
}

// None where the estimate can't tell.
Result<std::optional<bool>> BodyCoder::is_smaller_by_estimate(const BodyDraft& after, std::uint64_t extra_bytes,
                                                              const BodyDraft& before) {
  const bool alike = before.copies_target() == after.copies_target();
  const native::Estimate kind = alike ? native::Estimate::kLikely : native::Estimate::kEven;
  BDELTA_ASSIGN(const std::uint64_t bytes_before, estimate(before, kind));
  BDELTA_ASSIGN(std::uint64_t bytes, estimate(after, kind));
  bytes += extra_bytes;
  const bool takes_time = settings().coding.model_misses && settings().coding.apply_byte_ns == 0;
  std::uint64_t open_bytes = 0;
  if (!alike && takes_time) open_bytes = bytes_before / kUnlikeShare;
  if (!alike && !takes_time && tries_modelled_misses(before)) {
    open_bytes = bytes_before / (extra_bytes > 0 ? kUnlikeShare : kModelledShare);  // substitutions leave models less to find
  }
  if (bytes + open_bytes < bytes_before) return std::optional<bool>(true);
  if (takes_time && bytes < bytes_before + open_bytes) return std::optional<bool>();
  return std::optional<bool>(false);
}

Result<bool> BodyCoder::is_smaller(BodyDraft after, std::uint64_t extra_bytes, BodyDraft before,
                                   std::optional<CodedBody>& coded) {
  if (is_slow_to_code(after, before)) {
    BDELTA_ASSIGN(const std::optional<bool> smaller, is_smaller_by_estimate(after, extra_bytes, before));
    if (smaller && *smaller) coded.reset();
    if (smaller) return *smaller;
  }
  std::vector<BodyDraft> drafts;
  drafts.push_back(std::move(after));
  if (!coded) drafts.push_back(std::move(before));
  BDELTA_ASSIGN(std::vector<CodedBody> bodies, code_all(std::move(drafts)));
  if (bodies.size() > 1) coded = std::move(bodies[1]);
  const bool smaller = bodies[0].bytes + extra_bytes < coded->bytes;
  if (smaller) coded = std::move(bodies[0]);
  return smaller;
}

}  // namespace bdelta
