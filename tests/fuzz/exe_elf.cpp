// Files that begin as ELF do: hostile headers, tables of relocations, symbols, unwinding and Go. Searches for reads
// outside of the file, tables that take more time than the file has bytes, and images and fields that break what the
// rest of the program relies on. The magic is set, so that every input gets past it.
#include "exe/elf.hpp"
#include "fuzz/field_check.hpp"
#include "fuzz/fuzz_input.hpp"
#include "support/guard_page.hpp"

namespace bdelta::fuzz {

void run(Input& input) {
  test::GuardedBytes file(input.rest());
  const auto magic = ByteSpan(exe::kElfMagic);
  if (file.bytes().size() >= magic.size()) std::copy(magic.begin(), magic.end(), file.writable().begin());
  check_program(file.bytes());
}

}  // namespace bdelta::fuzz
