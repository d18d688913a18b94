// Files that begin as ELF do: hostile headers, tables of relocations, symbols, unwinding and Go, and lists of types in
// relocatable objects. Searches for reads outside of the file, tables that take more time than the file has bytes, and
// images and fields that break what the rest of the program relies on. The magic is set, so that every input gets past it.
#include "exe/elf.hpp"
#include "fuzz/field_check.hpp"

namespace bdelta::fuzz {

void run(Input& input) { check_file_input(input, exe::kElfMagic); }

}  // namespace bdelta::fuzz
