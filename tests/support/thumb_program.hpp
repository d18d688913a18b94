// A made-up ELF program for 32-bit ARM, position independent: functions of Thumb-2 and, behind them, of words, that call
// one another; symbols, hash tables, relocations by symbol.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "support/program_pair.hpp"

namespace bdelta::test {

inline constexpr std::size_t kThumbText = 0x200;
inline constexpr std::size_t kThumbSymbolBytes = 16;

// Where the tables lie in the file; byte `pos` is at kElfBase + pos.
struct ThumbLayout {
  std::size_t data, names, symbols, hash, gnu_hash, relocations, dynamic, headers, end;
};

struct ThumbProgram {
  Bytes bytes;
  ThumbLayout at;
};

// Of functions by number, in this order, those of words last; what a function is depends on its number alone. At least one
// number is a multiple of 4: these are functions of words.
[[nodiscard]] ThumbProgram thumb_program(const std::vector<unsigned>& functions);

// Two versions: functions are inserted and left out.
[[nodiscard]] ProgramPair thumb_pair(unsigned function_count);

}  // namespace bdelta::test
