#include "base/deciding/parse.hpp"
#include "match/cover_ranges.hpp"
#include "match/target_copies.hpp"

namespace bdelta {

Covers with_target_copies(const Covers& covers, const Covers& copies, std::uint64_t target_from) {
  ByteRanges copied;  // with what lies between two that are close
  Covers placed;
  for (const Cover& copy : copies) {
    placed.push_back({target_from + copy.source_pos, copy.target_pos, copy.length});
    if (!copied.empty() && copy.target_pos - copied.back().end <= kMostBetweenCopies) {
      copied.back().end = copy.target_end();
    } else {
      copied.push_back({copy.target_pos, copy.target_end()});
    }
  }
  return merged(covers_in(outside_of(copied, ~std::uint64_t{0}), covers), placed);
}

}  // namespace bdelta
