// Which words of a pair might be replaced, and by what.
#pragma once

#include "create/word_pieces.hpp"

namespace bdelta {

inline constexpr std::int32_t kWorthWordBytes = 8;  // made right less made wrong: what a word costs in the record

struct WordCandidate {
  WordChange change;
  std::uint32_t votes = 0;
  std::uint32_t score = 0;  // votes less other outcomes, once these are known
};

// Of each word that changes in the same way several times the outcome with most votes, the lowest of equals; most votes
// first. Memory is bounded: of many words the rarer ones may be missing.
[[nodiscard]] std::vector<WordCandidate> vote_on_words(const WordPieces& pieces, WorkerPool& pool);

}  // namespace bdelta
