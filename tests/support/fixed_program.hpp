// A made-up x86-64 ELF program that is loaded where it was linked for, with symbols, hash tables and words for a
// debugger.
#pragma once

#include <vector>

#include "base/bytes.hpp"

namespace bdelta::test {

inline constexpr std::uint64_t kFixedBase = 0x400000;  // of the file's first byte in memory
inline constexpr std::size_t kFixedText = 0x1000;
inline constexpr std::size_t kFixedFunctionBytes = 32;

// Where the parts of a program of so many functions lie in the file.
struct FixedLayout {
  explicit FixedLayout(std::size_t functions, std::size_t string_bytes, std::size_t name_bytes);

  std::size_t strings, data, names, symbols, hash, gnu_hash, relocations, dynamic;  // in memory
  std::size_t all_symbols, all_names, debug, headers, end;                         // not in memory
};

struct FixedProgram {
  Bytes bytes;
  FixedLayout at;
};

// Of functions by number, in this order; what a function is depends on its number alone.
[[nodiscard]] FixedProgram fixed_program(const std::vector<unsigned>& functions);

// The same with functions inserted and left out, so that all addresses, names and numbers of symbols move.
struct FixedPair {
  FixedProgram old_version;
  FixedProgram new_version;
};
[[nodiscard]] FixedPair fixed_pair(unsigned function_count);

}  // namespace bdelta::test
