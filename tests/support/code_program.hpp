// Made-up programs of code that is nothing but references, of every kind that there is for the machine. See exe_craft.hpp.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"

namespace bdelta::test {

// ELF of 64 bits and position independent: code, and behind it data with a jump table that the code loads. What it refers to
// depends on the seed.
[[nodiscard]] Bytes x86_code_program(std::uint64_t seed);
[[nodiscard]] Bytes arm64_code_program(std::uint64_t seed);

}  // namespace bdelta::test
