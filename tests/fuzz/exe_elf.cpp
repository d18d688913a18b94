// Files that begin as ELF do: hostile headers, tables of relocations, symbols, unwinding and Go. Searches for reads
// outside of the file, tables that take more time than the file has bytes, and images and fields that break what the
// rest of the program relies on. The magic is set, so that every input gets past it.
#include "exe/elf.hpp"
#include "fuzz/field_check.hpp"
#include "fuzz/fuzz_input.hpp"
#include "support/guard_page.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bdelta::test::GuardedBytes file(bdelta::ByteSpan(data, size));
  const auto magic = bdelta::ByteSpan(bdelta::exe::kElfMagic);
  if (size >= magic.size()) std::copy(magic.begin(), magic.end(), file.writable().begin());
  bdelta::fuzz::check_program(file.bytes());
  return 0;
}
