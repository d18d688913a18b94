#include "delta/moved_numbers.hpp"

#include <algorithm>

namespace bdelta {
namespace {

bool are_sound(const NumberSteps& steps) noexcept {
  if (!steps.empty() && steps.front().begin == 0) return false;
  const auto out_of_order = [](const NumberStep& a, const NumberStep& b) { return a.begin >= b.begin; };
  return std::adjacent_find(steps.begin(), steps.end(), out_of_order) == steps.end();
}

bool are_sound(const StepPair& steps) noexcept { return are_sound(steps.types) && are_sound(steps.strings); }

}  // namespace

std::size_t MovedNumbers::step_count() const noexcept {
  std::size_t count = common.count();
  for (const NumberList& list : lists) count += list.own.count();
  return count;
}

std::uint32_t moved(const NumberSteps& common, const NumberSteps& own, std::uint32_t number) noexcept {
  const NumberSteps& steps = !own.empty() && number >= own.front().begin ? own : common;
  const auto next = std::upper_bound(steps.begin(), steps.end(), number,
                                     [](std::uint32_t value, const NumberStep& step) { return value < step.begin; });
  return next == steps.begin() ? number : number + (next - 1)->move;
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
  if (!sound || numbers.step_count() == 0) {
    return Error{ErrorCode::kPatchCorrupt, "steps of numbers are out of order, or there are none"};
  }
  return {};
}

}  // namespace bdelta
