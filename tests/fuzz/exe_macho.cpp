// Files that begin as Mach-O does: hostile load commands, chained fixups, unwind info and symbols. Searches for reads
// outside of the file, tables that take more time than the file has bytes, and images and fields that break what the
// rest of the program relies on. The magic is set, so that every input gets past it; the input says where the first
// image begins, as in a universal file parts stand behind a header of their own.
#include "exe/macho.hpp"
#include "fuzz/field_check.hpp"

namespace bdelta::fuzz {

void run(Input& input) {
  constexpr std::uint8_t kUniversal = 0xca;  // first byte of that magic
  constexpr std::size_t kFirstPart = 64;
  const bool universal = !input.empty() && input.rest()[0] == kUniversal;
  check_file_input(input, exe::kMachoMagic, universal ? kFirstPart : 0);
}

}  // namespace bdelta::fuzz
