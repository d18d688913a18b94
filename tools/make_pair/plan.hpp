// The plan of a pair: which units exist, what becomes of each in NEW, and where each lies in both files.
#pragma once

#include <cstdint>
#include <vector>

namespace make_pair {

enum class Kind : std::uint8_t { kCode, kText, kTable, kPadding, kImage };
enum class Fate : std::uint8_t { kKept, kEdited, kReplaced, kDeleted, kAdded };

// One function, document, table, image or stretch of padding. Its bytes follow from `seed` alone; only the
// addresses inside them and its edits differ between OLD and NEW.
struct Unit {
  std::uint64_t seed = 0;
  std::uint64_t old_address = 0;
  std::uint64_t new_address = 0;  // of a deleted unit: where it would have been
  std::uint32_t size = 0;         // before edits
  std::uint32_t new_size = 0;     // after edits
  Kind kind = Kind::kCode;
  Fate fate = Fate::kKept;
};

struct Plan {
  std::uint64_t seed = 0;
  std::uint64_t old_size = 0;
  std::uint64_t new_size = 0;
  std::vector<Unit> units;               // those of OLD in order, then those added in NEW
  std::vector<std::uint32_t> new_order;  // units of NEW as they lie in the file, deleted ones included
  std::vector<std::uint32_t> functions;  // units of OLD that code calls
  std::vector<std::uint32_t> data;       // units of OLD that code and tables point at
  std::uint32_t old_units = 0;
  std::uint64_t moved_blocks = 0;
};

[[nodiscard]] Plan make_plan(std::uint64_t size, std::uint64_t seed);

// Start of a unit that follows `end`: functions start at multiples of 16, tables at multiples of 8.
[[nodiscard]] constexpr std::uint64_t aligned(std::uint64_t end, Kind kind) noexcept {
  const std::uint64_t step = kind == Kind::kCode ? 16 : kind == Kind::kTable ? 8 : 1;
  return (end + step - 1) / step * step;
}

// Bytes from one record of a table to the next; 1 for what has no records.
[[nodiscard]] std::uint32_t stride_of(const Unit& unit) noexcept;

}  // namespace make_pair
