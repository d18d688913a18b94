// What an alternative for a segment takes in the patch: its groups as drafts, coded, or estimated.
#pragma once

#include <functional>

#include "create/body_draft.hpp"
#include "create/budget.hpp"
#include "create/create_inputs.hpp"
#include "format/native/modelled_choice.hpp"
#include "format/native/size_estimate.hpp"
#include "io/memory_io.hpp"

namespace bdelta {

// For the segment at hand, or for a sample of it alone. One thread at a time; the work uses the pool. Nothing goes into the
// patch. Errors: those of the codecs and of the watch.
class BodyCoder {
 public:
  // Everything must outlive the coder.
  BodyCoder(const Budget& budget, const CreateInputs& inputs, native::Writer& writer, WorkerPool& pool)
      : budget_(budget), inputs_(inputs), writer_(writer), pool_(pool) {}
  BodyCoder(const BodyCoder& whole, GroupOutline sample)
      : budget_(whole.budget_), inputs_(whole.inputs_), writer_(whole.writer_), pool_(whole.pool_), sample_(std::move(sample)),
        plan_bytes_(whole.plan_bytes_) {}

  // The callback is called before all of the segment is coded, with what that is, and its units of the watch.
  using OnCoding = std::function<void(const CodingBytes& streams, std::uint64_t units)>;
  void on_coding(OnCoding callback) { on_coding_ = std::move(callback); }

  [[nodiscard]] const std::optional<GroupOutline>& sample() const noexcept { return sample_; }

  // Where groups of the covers begin and end. `programs`, which tell what is predicted, may be null here and below.
  [[nodiscard]] std::vector<GroupOutline> outlines_of(const Covers& covers, const ProgramPass* programs);

  // Those groups; covers_of them stand apart. `substitutions` may be null.
  [[nodiscard]] std::vector<GroupDraft> encode(const Covers& covers, std::span<const GroupOutline> outlines,
                                               const SubstitutionTable* substitutions,
                                               const ProgramPass* programs);

  [[nodiscard]] BodyDraft draft(const Covers& covers, const SubstitutionTable* substitutions, const ProgramPass* programs);
  [[nodiscard]] BodyDraft draft_predicted(const ProgramPass& programs);  // with covers of its own
  [[nodiscard]] BodyDraft draft(const Chosen& chosen);

  // What models need to code bytes. `programs` and `substitutions` may be null. Good until it is asked for again.
  [[nodiscard]] ModelledInputs modelled_inputs(const ProgramPass* programs, const SubstitutionTable* substitutions);

  Result<CodedBody> code(BodyDraft draft);
  Result<std::vector<CodedBody>> code_all(std::vector<BodyDraft> drafts);
  Status code(Chosen& chosen);  // chosen.coded, if it is not known yet

  Result<std::uint64_t> estimate(const BodyDraft& draft, native::Estimate estimate = native::Estimate::kLikely);
  Result<std::uint64_t> estimate_groups(const std::vector<GroupDraft>& groups, native::Estimate estimate) const {
    return native::estimate_groups(groups, writer_.settings(), estimate, pool_);
  }

  // That the record of the prediction takes, coded once: a pair has but one.
  Result<std::uint64_t> plan_bytes(const ProgramPass& programs);

  // Whether `after`, with so many bytes beside it, is smaller than `before`, which is what `coded` has if there is one.
  // Then, `coded` is what is the smaller one, if that had to be coded to know.
  Result<bool> is_smaller(BodyDraft after, std::uint64_t extra_bytes, BodyDraft before,
                          std::optional<CodedBody>& coded);

  // Whether misses of the draft may go through their model; and whether a fast codec leaves that open.
  [[nodiscard]] bool tries_modelled_misses(const BodyDraft& draft) const {
    return native::tries_modelled_misses(draft.groups, writer_.settings());
  }
  Result<bool> may_take_modelled_misses(const BodyDraft& draft) const {
    return native::may_take_modelled_misses(draft.groups, writer_.settings(), pool_.watch());
  }

  [[nodiscard]] const LevelSettings& settings() const noexcept { return budget_.settings; }
  [[nodiscard]] const Budget& budget() const noexcept { return budget_; }
  [[nodiscard]] WorkerPool& pool() const noexcept { return pool_; }
  [[nodiscard]] std::uint64_t segment_bytes() const noexcept { return inputs_.segment_size(); }

 private:
  struct KnownOutlines {
    Covers covers;
    const ProgramPass* programs = nullptr;
    std::uint64_t segment_begin = 0;
    std::vector<GroupOutline> groups;
  };
  [[nodiscard]] std::vector<GroupOutline> sampled_outline(const ProgramPass* programs) const;
  static CodedBody part_of(CodedBody& all, std::size_t begin, std::size_t count);
  [[nodiscard]] bool is_slow_to_code(const BodyDraft& a, const BodyDraft& b) const;
  Result<std::optional<bool>> is_smaller_by_estimate(const BodyDraft& after, std::uint64_t extra_bytes,
                                                     const BodyDraft& before);

  const Budget& budget_;
  const CreateInputs& inputs_;
  native::Writer& writer_;
  WorkerPool& pool_;
  OnCoding on_coding_;                             // may be empty
  const std::optional<GroupOutline> sample_;
  std::optional<KnownOutlines> known_outlines_;           // the last one, where there are few covers
  std::optional<std::uint64_t> plan_bytes_;
  std::optional<io::MemoryReader> source_memory_;  // over inputs that are whole
  std::optional<io::MemoryReader> target_memory_;
};

}  // namespace bdelta
