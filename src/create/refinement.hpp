// What is made of the covers that were chosen: substitutions and copies of NEW.
#pragma once

#include "create/body_coder.hpp"
#include "match/target_copies.hpp"

namespace bdelta {

// Works on what was chosen for one segment, which is all of the target. Errors: those of the coder.
class Refinement {
 public:
  // All must outlive the object.
  Refinement(BodyCoder& coder, CreateInputs& inputs, Chosen& chosen) : coder_(coder), inputs_(inputs), chosen_(chosen) {}

  // Like prediction, substitutions are for both files as a whole: a patch has one set of them.
  // Stages are those of one part, which find_target_copies goes on with.
  Status find_substitutions();

  // In place of covers that cost more. By an estimate alone where the level codes nothing to know what is smaller.
  Status find_target_copies();

 private:
  Status take_substitutions_if_smaller(native::CodedSubstitutions substitutions, BodyDraft before);
  Result<bool> modelled_misses_learn_substitutions(const BodyDraft& draft);
  [[nodiscard]] bool has_modelled_misses() const noexcept { return chosen_.coded && chosen_.coded->has_modelled_misses(); }
  TargetCopies target_copies_for(const Covers& covers, const SubstitutionTable* substitutions);
  [[nodiscard]] bool predicts_all() const noexcept;
  void take_target_copies();
  Result<bool> is_larger_for_sure(const BodyDraft& draft, std::uint64_t extra_bytes);
  Status take_target_copies_if_smaller(const Covers& covers, std::optional<native::CodedSubstitutions> other);

  BodyCoder& coder_;
  CreateInputs& inputs_;
  Chosen& chosen_;
};

}  // namespace bdelta
