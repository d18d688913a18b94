// A made-up program of Mach-O for x86-64 that tells the place of each pointer by itself, as Go's linker does.
#pragma once

#include <vector>

#include "base/bytes.hpp"

namespace bdelta::test {

// With a pointer to each function. Functions by number, in this order; what a function is depends on its number alone.
struct RebasedProgram {
  Bytes bytes;
  std::size_t data_pos = 0;      // of the segment that the pointers lie in
  std::size_t pointers_pos = 0;  // of the first one
  std::size_t opcodes_pos = 0;   // of what tells their places; five bytes each behind the first one
};
[[nodiscard]] RebasedProgram rebased_program(const std::vector<unsigned>& functions);

}  // namespace bdelta::test
