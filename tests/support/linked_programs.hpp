// Made-up programs, linked from a list of functions: 32-bit ARM with unwind tables; Go of 64 bits,
// with unwind pointers of eight bytes, and of 32; Mach-O with exports. One behind the other in one file.
#pragma once

#include <vector>

#include "support/program_pair.hpp"

namespace bdelta::test {

// Of functions by number below 4096, in this order, at most 200; what a function is depends on its number alone.
[[nodiscard]] Bytes linked_programs(const std::vector<unsigned>& functions);

// The same of Go 1.27 of 64 bits and of 32, and Mach-O that lists pointers one by one.
[[nodiscard]] Bytes newer_programs(const std::vector<unsigned>& functions);

// Two versions: functions are inserted and left out, so that nearly all addresses and places in tables move.
[[nodiscard]] ProgramPair linked_pair(unsigned function_count);
[[nodiscard]] ProgramPair newer_pair(unsigned function_count);

}  // namespace bdelta::test
