// Files that begin as Mach-O does: hostile load commands, chained fixups, unwind info and symbols. Searches for reads
// outside of the file, tables that take more time than the file has bytes, and images and fields that break what the
// rest of the program relies on. The magic is set, so that every input gets past it; the input says where the first
// image begins, as in a universal file parts stand behind a header of their own.
#include "exe/macho.hpp"
#include "fuzz/field_check.hpp"
#include "fuzz/fuzz_input.hpp"
#include "support/guard_page.hpp"

namespace bdelta::fuzz {

void run(Input& input) {
  constexpr std::uint8_t kUniversal = 0xca;  // first byte of that magic
  constexpr std::size_t kFirstPart = 64;
  test::GuardedBytes file(input.rest());
  const std::size_t size = file.bytes().size();
  const auto magic = ByteSpan(exe::kMachoMagic);
  const std::size_t start = size != 0 && file.bytes()[0] == kUniversal ? kFirstPart : 0;
  if (size >= start + magic.size()) {
    std::copy(magic.begin(), magic.end(), file.writable().begin() + static_cast<std::ptrdiff_t>(start));
  }
  check_program(file.bytes());
}

}  // namespace bdelta::fuzz
