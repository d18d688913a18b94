// Made-up programs with the tables that a linker sorts, in each of the shapes that there are: functions, whose order is
// given, a pointer to each, what unwinds it, and the tables that list these.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "exe/sorted_tables.hpp"
#include "support/program_pair.hpp"

namespace bdelta::test {

enum class SortedShape {
  kPe32, kPe64, kPeArm64, kElf64, kElfArm64, kElf32, kElfArm32, kMachO64, kMachOArm64,
  kMachOMixed64, kMachOMixedArm64,  // unwind pages of either kind, of few functions each
};
inline constexpr SortedShape kSortedShapes[] = {SortedShape::kPe32,     SortedShape::kPe64,  SortedShape::kPeArm64,
                                                SortedShape::kElf64,    SortedShape::kElfArm64,
                                                SortedShape::kElf32,    SortedShape::kElfArm32,
                                                SortedShape::kMachO64,  SortedShape::kMachOArm64,
                                                SortedShape::kMachOMixed64, SortedShape::kMachOMixedArm64};

// Bytes that another version has, too, if it has the same function.
struct SortedPart {
  unsigned id = 0;
  std::size_t pos = 0;
  std::size_t size_bytes = 0;
};

struct SortedProgram {
  Bytes bytes;
  std::vector<SortedPart> parts;           // ascending by position
  std::vector<exe::SortedTable> tables;    // likewise
  std::size_t base_pos = 0;                // what the numbers of unwind tables of ELF and Mach-O count from
};

// Functions by number, in this order.
[[nodiscard]] SortedProgram sorted_program(const std::vector<unsigned>& functions, SortedShape shape);

// Two versions: functions are inserted, left out, and most change places. All shapes of PE and ELF, one behind the other.
[[nodiscard]] ProgramPair sorted_pair(unsigned function_count);

// The same of Mach-O, with full pages of unwind information or with mixed ones.
[[nodiscard]] ProgramPair sorted_macho_pair(unsigned function_count);
[[nodiscard]] ProgramPair sorted_mixed_pair(unsigned function_count);

}  // namespace bdelta::test
