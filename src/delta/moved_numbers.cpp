#include "delta/moved_numbers.hpp"

#include <algorithm>

namespace bdelta {
namespace {

bool are_sound(const Thresholds& thresholds) noexcept {
  if (!thresholds.empty() && thresholds.front().begin == 0) return false;
  const auto out_of_order = [](const Threshold& a, const Threshold& b) { return a.begin >= b.begin; };
  return std::adjacent_find(thresholds.begin(), thresholds.end(), out_of_order) == thresholds.end();
}

bool are_sound(const ThresholdPair& both) noexcept { return are_sound(both.types) && are_sound(both.strings); }

}  // namespace

std::size_t MovedNumbers::threshold_count() const noexcept {
  std::size_t count = common.count();
  for (const NumberList& list : lists) count += list.own.count();
  return count;
}

std::uint32_t moved(const Thresholds& common, const Thresholds& own, std::uint32_t number) noexcept {
  const Thresholds& thresholds = !own.empty() && number >= own.front().begin ? own : common;
  const auto next = std::upper_bound(thresholds.begin(), thresholds.end(), number,
                                     [](std::uint32_t value, const Threshold& one) { return value < one.begin; });
  return next == thresholds.begin() ? number : number + (next - 1)->move;
}

Status check_moved_numbers(const MovedNumbers& numbers, std::uint64_t source_size) {
  const std::vector<NumberList>& lists = numbers.lists;
  if (lists.empty() || lists.size() > kMostNumberLists) {
    return Error{ErrorCode::kPatchCorrupt, "it names no lists of numbers, or more than a patch may have"};
  }
  const auto out_of_order = [](const NumberList& a, const NumberList& b) { return a.header_pos >= b.header_pos; };
  if (std::adjacent_find(lists.begin(), lists.end(), out_of_order) != lists.end() ||
      lists.back().header_pos >= source_size || numbers.type_bytes > source_size) {
    return Error{ErrorCode::kPatchCorrupt, "lists of numbers are out of order or reach beyond OLD"};
  }
  const bool sound = are_sound(numbers.common) && std::all_of(lists.begin(), lists.end(), [](const NumberList& list) {
    return are_sound(list.own);
  });
  if (!sound || numbers.threshold_count() == 0) {
    return Error{ErrorCode::kPatchCorrupt, "thresholds of numbers are out of order, or there are none"};
  }
  return {};
}

}  // namespace bdelta
