// What the tests of fields share: those of a file's tables, in a shape that expectations can be written in, and of code.
#pragma once

#include <ostream>
#include <vector>

#include <gtest/gtest.h>

#include "base/bytes.hpp"
#include "exe/images.hpp"
#include "exe/isa.hpp"
#include "exe/predict.hpp"
#include "exe/table_fields.hpp"
#include "support/exe_fields.hpp"

namespace bdelta::test {

using exe::Field;
using exe::FieldForm;
using exe::FieldKind;

struct Seen {
  std::uint64_t pos;
  FieldForm form;
  FieldKind kind;
  std::uint64_t target;
  std::uint64_t base_pos = 0;  // of forms that have one
  bool operator==(const Seen&) const = default;
};

inline void PrintTo(const Seen& seen, std::ostream* out) {
  *out << std::hex << "{pos " << seen.pos << ", form " << static_cast<int>(seen.form) << ", kind "
       << static_cast<int>(seen.kind) << ", target " << seen.target << ", base " << seen.base_pos << "}" << std::dec;
}

inline std::vector<Seen> fields_of(const Bytes& file) {
  std::vector<Field> fields;
  const std::vector<exe::Image> images = exe::find_images(file);
  for (std::size_t i = 0; i < images.size(); ++i) {
    exe::FieldBlocks blocks(file, images, i);
    exe::find_table_fields(file, images[i], blocks);
    exe::FieldBlocks::Unpacked last;
    blocks.add_fields(0, file.size(), last, fields);
  }
  std::vector<Seen> seen;
  for (const Field& field : fields) {
    const std::uint64_t base = has_base(field.form) ? base_pos(field) : 0;
    seen.push_back({field.pos, field.form, field.kind, field.target_address, base});
  }
  return seen;
}

// Blocks of a section from the first on, and from the last on; there have to be more fields than `count`.
inline void expect_same_by_blocks(const exe::CodeSection& section, exe::AddressRange image, std::size_t count) {
  const std::vector<Field> whole = code_fields(section, image);
  std::vector<Field> joined;
  for (std::size_t block = exe::code_block_count(section.bytes.size()); block-- > 0;) {
    std::vector<Field> part;
    exe::find_code_fields(section, block, image, part);
    joined.insert(joined.begin(), part.begin(), part.end());
  }
  ASSERT_EQ(whole.size(), joined.size());
  ASSERT_GT(whole.size(), count);
  for (std::size_t i = 0; i < whole.size(); ++i) ASSERT_EQ(whole[i].pos, joined[i].pos);
}

}  // namespace bdelta::test
