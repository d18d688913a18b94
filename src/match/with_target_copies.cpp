#include "match/target_copies.hpp"

#include <algorithm>

namespace bdelta {

Covers with_target_copies(const Covers& covers, const Covers& copies, std::uint64_t target_from) {
  Covers all;
  auto copy = copies.begin();
  std::uint64_t copied_end = 0;  // of the last copy
  const auto add_copy = [&] {
    all.push_back({target_from + copy->source_pos, copy->target_pos, copy->length});
    copied_end = copy->target_end();
    ++copy;
  };
  for (const Cover& cover : covers) {
    // What of the cover lies behind the last copy and before `end`.
    const auto add_until = [&](std::uint64_t end) {
      const std::uint64_t pos = std::max(cover.target_pos, copied_end);
      if (copied_end != 0 && copy != copies.end() && copy->target_pos - copied_end <= kMostBetweenCopies) return;
      if (pos < end) all.push_back({cover.source_pos + (pos - cover.target_pos), pos, end - pos});
    };
    while (copy != copies.end() && copy->target_pos < cover.target_end()) {
      add_until(copy->target_pos);
      add_copy();
    }
    add_until(cover.target_end());
  }
  while (copy != copies.end()) add_copy();
  return all;
}

}  // namespace bdelta
