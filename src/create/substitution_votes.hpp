// Which substitutions might be of use to a pair.
#pragma once

#include "base/deciding/prediction.hpp"
#include "create/copied_pieces.hpp"

namespace bdelta {

struct SubstitutionCandidate {
  Substitution change;
  std::uint32_t votes = 0;
  std::uint32_t score = 0;  // votes less other outcomes, once these are known
};

// Of each pattern that changes in the same way several times the outcome with most votes, the lowest of equals; most
// votes first. Memory is bounded: of many patterns the rarer ones may be missing.
[[nodiscard]] std::vector<SubstitutionCandidate> vote_on_substitutions(const CopiedPieces& pieces, WorkerPool& pool);

}  // namespace bdelta
