// All fields at once, of a program and of a section of code.
#pragma once

#include <vector>

#include "exe/isa.hpp"
#include "exe/program.hpp"

namespace bdelta::test {

inline std::vector<exe::Field> all_fields(const exe::Program& program) {
  exe::FieldCache cache;
  const std::span<const exe::Field> fields = program.fields_from(0, program.file().size(), cache);
  return {fields.begin(), fields.end()};
}

inline std::vector<exe::Field> code_fields(const exe::CodeSection& section, exe::AddressRange image) {
  std::vector<exe::Field> fields;
  const std::size_t count = exe::code_block_count(section.bytes.size());
  for (std::size_t block = 0; block < count; ++block) exe::find_code_fields(section, block, image, fields);
  return fields;
}

}  // namespace bdelta::test
