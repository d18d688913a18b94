// Covers of one stretch of a target by the matcher, with those costs that code it smallest.
#pragma once

#include "create/body_coder.hpp"
#include "match/matcher.hpp"

namespace bdelta {

// Errors: those of the coder. One thread at a time; the work uses the pool of the coder.
class CoverSearch {
 public:
  // All must outlive the object. `found_so_far` is told as the choice of costs tells it, and may be empty.
  CoverSearch(Matcher& matcher, BodyCoder& coder, CreateInputs& inputs, CostChoice::FoundSoFar found_so_far)
      : matcher_(matcher), coder_(coder), inputs_(inputs), found_so_far_(std::move(found_so_far)) {}

  // Sets of covers to choose from; their positions begin at 0. Small targets where little changes are parsed with all costs
  // there are, others with those that do best in a sample. With `doubted`, programs that may be better taken as plain data,
  // no set says that prediction is clearly better. seeds: as the matcher finds them.
  Result<std::vector<Covers>> find_from(ByteSpan target, Covers seeds, const ProgramPass* doubted);

  // Of all of a target that is a file of its own, the set that codes smallest.
  Result<Covers> find_best(ByteSpan target, const Diagonals& diagonals);

 private:
  Result<bool> are_cheap(const Covers& covers, const ParseCosts& costs) const;

  Matcher& matcher_;
  BodyCoder& coder_;
  CreateInputs& inputs_;
  const CostChoice::FoundSoFar found_so_far_;
};

}  // namespace bdelta
