// Files that begin as the toy image does: hostile lines of text, pointers. Searches for reads outside of the file,
// tables that take more time than the file has bytes, and images and fields that break what the rest of the program
// relies on. The magic is set, so that every input gets past it.
#include "exe/toy.hpp"
#include "fuzz/field_check.hpp"

namespace bdelta::fuzz {

void run(Input& input) { check_file_input(input, exe::kToyMagic); }

}  // namespace bdelta::fuzz
