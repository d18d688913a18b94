// One search a machine; isa.cpp chooses. For the room and its tests.
#pragma once

#include <cstddef>
#include <vector>

#include "exe/isa.hpp"

namespace bdelta::exe {

// Bytes [begin, end) of a section.
struct CodeBlock {
  std::size_t begin = 0;
  std::size_t end = 0;
};

void find_x86_64_fields(const CodeSection& section, CodeBlock block, AddressRange image, std::vector<Field>& out);
void find_x86_32_fields(const CodeSection& section, CodeBlock block, AddressRange image, std::vector<Field>& out);
void find_arm32_fields(const CodeSection& section, CodeBlock block, AddressRange image, std::vector<Field>& out);
// Of the part of 32-bit ARM whose instructions are halfwords, as if all code were that; and of both parts.
void find_thumb_fields(const CodeSection& section, CodeBlock block, AddressRange image, std::vector<Field>& out);
void find_mixed_arm_fields(const CodeSection& section, CodeBlock block, AddressRange image, std::vector<Field>& out);
void find_arm64_fields(const CodeSection& section, CodeBlock block, AddressRange image, std::vector<Field>& out);

}  // namespace bdelta::exe
