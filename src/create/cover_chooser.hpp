// Which covers of a segment go into the patch, with what is made of them.
#pragma once

#include <memory>
#include <optional>

#include "create/create_work.hpp"
#include "create/patch_body.hpp"
#include "create/survey.hpp"
#include "match/matcher.hpp"

namespace bdelta {

// Errors: those of the coder.
class CoverChooser {
 public:
  // All must outlive the object.
  CoverChooser(CreateInputs& inputs, CreateWork& work, PatchBody& body) : inputs_(inputs), work_(work), body_(body) {}

  // What codes smallest, of the segment at hand. The survey goes into it and may be none; `programs` may be null: nothing is
  // predicted then.
  Result<Chosen> choose(Survey survey, std::unique_ptr<ProgramPass> programs);

 private:
  // Sets of covers without prediction.
  Result<std::vector<Covers>> find_sets(Survey survey, const ProgramPass* doubted);
  Result<std::vector<Covers>> find_whole_sets(Survey survey, const ProgramPass* doubted);
  // Of what is not predicted, which is a file of its own in this.
  Result<Covers> find_outside_covers(const ByteRanges& predicted);
  // Of those sets, and of `doubted`, which may be null.
  Result<Chosen> choose_plain(Survey survey, std::unique_ptr<ProgramPass> doubted);
  Status refine(Chosen& chosen);  // substitutions, and copies of NEW
  Result<std::uint64_t> bytes_of(Chosen& chosen);

  CreateInputs& inputs_;
  CreateWork& work_;
  PatchBody& body_;
  std::optional<Matcher> matcher_;  // over a source that is whole: one index for all segments
};

}  // namespace bdelta
