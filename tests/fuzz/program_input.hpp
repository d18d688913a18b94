// Programs made from an input: a sound one of a choice, then bytes changed where the input says.
#pragma once

#include "fuzz/fuzz_input.hpp"

namespace bdelta::fuzz {

inline constexpr std::size_t kProgramCount = 26;
inline constexpr std::size_t kFirstSorted = 13;

// Sound programs, small: two versions of one, then one of each format, then those with sorted tables.
[[nodiscard]] const Bytes& sound_program(std::size_t number);

// Takes the choice and up to 15 changes: numbers of any width anywhere, mostly in what is the header, and moves.
[[nodiscard]] Bytes take_program(Input& input);

}  // namespace bdelta::fuzz
