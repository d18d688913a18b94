// Small edits inside a unit: a few bytes overwritten, inserted or deleted. They follow from the unit's seed alone,
// so that the plan (which needs the size afterwards) and the writer of NEW draw the same ones.
#pragma once

#include <cstdint>
#include <vector>

#include "plan.hpp"

namespace make_pair {

enum class EditKind : std::uint8_t { kOverwrite, kInsert, kDelete };

struct Edit {
  std::uint32_t at;      // position in the unit before any edit; ascending, never overlapping
  std::uint32_t length;  // bytes overwritten, inserted before `at`, or deleted from `at` on
  EditKind kind;
};

// Draws the edits of a unit whose fate is kEdited (at least one); no other unit has any.
void plan_edits(const Unit& unit, std::vector<Edit>& edits);

[[nodiscard]] std::uint32_t size_after(const Unit& unit, const std::vector<Edit>& edits) noexcept;

// Where every position of a unit went: call with ascending positions.
class ShiftCursor {
 public:
  explicit ShiftCursor(const std::vector<Edit>& edits) noexcept : edits_(edits) {}
  [[nodiscard]] std::int64_t shift_at(std::uint32_t position) noexcept;

 private:
  const std::vector<Edit>& edits_;
  std::size_t next_ = 0;
  std::int64_t shift_ = 0;
};

// Appends `before` with all edits done to `after`. The new bytes look like their surroundings.
void apply_edits(const Unit& unit, const std::vector<std::uint8_t>& before, const std::vector<Edit>& edits,
                 std::vector<std::uint8_t>& after);

}  // namespace make_pair
