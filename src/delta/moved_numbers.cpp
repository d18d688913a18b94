#include "delta/moved_numbers.hpp"

#include <algorithm>

namespace bdelta {
namespace {

bool are_sound(const NumberSteps& steps) noexcept {
  if (steps.size() > kMostNumberSteps || (!steps.empty() && steps.front().begin == 0)) return false;
  const auto out_of_order = [](const NumberStep& a, const NumberStep& b) { return a.begin >= b.begin; };
  return std::adjacent_find(steps.begin(), steps.end(), out_of_order) == steps.end();
}

}  // namespace

std::uint32_t moved(const NumberSteps& steps, std::uint32_t number) noexcept {
  const auto next = std::upper_bound(steps.begin(), steps.end(), number,
                                     [](std::uint32_t value, const NumberStep& step) { return value < step.begin; });
  return next == steps.begin() ? number : number + (next - 1)->move;
}

Status check_moved_numbers(const MovedNumbers& numbers, std::uint64_t source_size) {
  const std::vector<std::uint64_t>& positions = numbers.header_positions;
  if (positions.empty() || positions.size() > kMostNumberLists) {
    return Error{ErrorCode::kPatchCorrupt, "it names no lists of numbers, or more than a patch may have"};
  }
  const auto out_of_order = [](std::uint64_t a, std::uint64_t b) { return a >= b; };
  if (std::adjacent_find(positions.begin(), positions.end(), out_of_order) != positions.end() ||
      positions.back() >= source_size || numbers.type_bytes > source_size) {
    return Error{ErrorCode::kPatchCorrupt, "lists of numbers are out of order or reach beyond OLD"};
  }
  if (!are_sound(numbers.types) || !are_sound(numbers.strings) || numbers.types.size() + numbers.strings.size() == 0) {
    return Error{ErrorCode::kPatchCorrupt, "steps of numbers are none, too many or out of order"};
  }
  return {};
}

}  // namespace bdelta
