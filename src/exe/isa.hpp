// Addresses inside instructions: finds the fields of a code section.
#pragma once

#include <cstddef>
#include <vector>

#include "bdelta/io.hpp"
#include "exe/field.hpp"
#include "exe/image.hpp"

namespace bdelta::exe {

// One code section as a whole. Blocks of it may be searched apart and by several threads.
struct CodeSection {
  ByteSpan bytes;              // not owned
  std::uint64_t address = 0;   // of its first byte in memory
  std::uint64_t file_pos = 0;  // of its first byte in the file
  Machine machine = Machine::kNone;
  bool is_fixed = false;  // loaded where it was linked for: instructions may hold addresses as such
};

// Addresses [low, high) that an image takes up. A field that leads elsewhere is a piece of something that is no code.
struct AddressRange {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

// A block is decoded apart from its neighbours, so that the result does not depend on how blocks are shared out.
inline constexpr std::size_t kCodeBlockBytes = std::size_t{1} << 20;

// Blocks of a section of so many bytes; they begin at multiples of kCodeBlockBytes from its start.
[[nodiscard]] constexpr std::size_t code_block_count(std::size_t section_bytes) noexcept {
  return section_bytes / kCodeBlockBytes + (section_bytes % kCodeBlockBytes != 0 ? 1 : 0);
}

// Appends the fields of block `block` to `out`, ascending by position and disjoint, those of one block after those of
// the block before; Field::image is left 0. The rule: decoding begins some bytes before the block, to fall in step with
// the instructions. What counts is each field that lies in the block as a whole, so one across a border is given up.
// The result depends on the section and the block alone. Nothing is found for a machine that is not known.
void find_code_fields(const CodeSection& section, std::size_t block, AddressRange image, std::vector<Field>& out);

}  // namespace bdelta::exe
