// A made-up PE program of 64 bits: functions, the table of these, unwind information with handlers, tables of C++ exceptions
// in both forms, and the table of accesses to volatile memory.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "support/program_pair.hpp"

namespace bdelta::test {

inline constexpr std::uint64_t kPeProgramBase = 0x140000000;
inline constexpr std::size_t kPeText = 0x400;       // of the code in the file
inline constexpr std::uint32_t kPeRvaShift = 0xc00;  // of all sections: RVA less position in the file

// Where tables lie in the file; byte `pos` is at RVA pos + kPeRvaShift.
struct PeLayout {
  std::size_t functions, config, volatiles, end;
  std::vector<std::size_t> starts;        // of each function's code
  std::vector<std::size_t> unwind_infos;  // likewise
  std::vector<std::size_t> cpp_tables;
};

struct PeProgram {
  Bytes bytes;
  PeLayout at;
};

// Of functions by number, in this order. Those whose number is even have a wide C++ table, the others a packed one.
[[nodiscard]] PeProgram pe_program(const std::vector<unsigned>& functions, bool arm64);

// Two versions: functions are inserted and left out. A program for x86-64 and one for arm64 behind it.
[[nodiscard]] ProgramPair pe_pair(unsigned function_count);

}  // namespace bdelta::test
