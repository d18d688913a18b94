// Kernel modules, made up: relocatable ELF objects with code, types that name one another and the kernel's by number (BTF),
// and what else an object needs.
#pragma once

#include <initializer_list>

#include "base/bytes.hpp"
#include "delta/moved_numbers.hpp"

namespace bdelta::test {

struct ModulePair {
  Bytes old_version;
  Bytes new_version;  // as the kernel has types in between that it had not, in another place for each seed
};

struct ModuleShape {
  unsigned module_count = 40;
  unsigned seed = 1;
  unsigned type_count = 150;    // of a module
  bool own_changes = true;      // every fifth module has types more, or fewer
  bool bits64 = true;
};

[[nodiscard]] ModulePair module_pair(const ModuleShape& shape = {});

// An object with these types as its list, behind a header of its own; and where that header stands in it.
[[nodiscard]] Bytes module_of(ByteSpan types, ByteSpan strings, bool bits64 = true);
inline constexpr std::size_t kModuleBtf = 0x100;

// Numbers of four bytes, one behind the other.
[[nodiscard]] Bytes words(std::initializer_list<std::uint32_t> numbers);

// That of FORMAT.md: a list of 24 bytes with its header at 4.
[[nodiscard]] MovedNumbers moved_number_example();

}  // namespace bdelta::test
