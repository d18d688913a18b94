// What a sample of the target is taken to be copied by, where it is known what all of it is copied by.
#include <algorithm>

#include "match/target_copies.hpp"
#include "match/target_copy_costs.hpp"
#include "match/target_costs.hpp"

namespace bdelta {
namespace {

// The parts of copies that lie in the range. `copy`: the first that may.
Covers cut_copies(Covers::const_iterator& copy, Covers::const_iterator end, const ByteRange& range) {
  Covers cut;
  for (; copy != end && copy->target_pos < range.end; ++copy) {
    const std::uint64_t from = std::max(copy->target_pos, range.begin);
    const std::uint64_t to = std::min(copy->target_end(), range.end);
    if (from < to) cut.push_back({copy->source_pos + (from - copy->target_pos), from, to - from});
    if (copy->target_end() > range.end) break;
  }
  return cut;
}

}  // namespace

Covers cheaper_copies(const CopiedTarget& copied, const Covers& copies, const ByteRanges& ranges,
                      const ParseCosts& costs, WorkerPool& pool) {
  const TargetCosts spent(copied, costs, pool, ranges);
  Covers cheaper;
  auto next = copies.begin();
  for (const ByteRange& range : ranges) {
    const Covers cut = cut_copies(next, copies.end(), range);
    for (auto first = cut.begin(); first != cut.end();) {
      std::int64_t cost = target_copy_cost(costs);
      auto end = std::next(first);  // of the chain
      for (; end != cut.end() && is_link(*std::prev(end), *end); ++end) cost += link_cost(*std::prev(end), *end, costs);
      if (spent.of_range(first->target_pos, std::prev(end)->target_end()) > cost) {
        cheaper.insert(cheaper.end(), first, end);
      }
      first = end;
    }
  }
  return cheaper;
}

}  // namespace bdelta
