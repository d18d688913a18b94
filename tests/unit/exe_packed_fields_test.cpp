// Fields that are kept packed: what comes out is what went in, in order, whatever the file says.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "base/bytes.hpp"
#include "exe/field_blocks.hpp"
#include "exe/packed_fields.hpp"
#include "support/generate.hpp"

namespace bdelta::exe {

void PrintTo(const Field& field, std::ostream* out) {
  *out << "{pos " << field.pos << ", target " << field.target_address << ", form " << static_cast<int>(field.form)
       << ", base " << field.base_delta << ", trailing " << int{field.trailing_bytes} << "}";
}

bool operator==(const Field& a, const Field& b) {
  return a.pos == b.pos && a.target_address == b.target_address && a.base_delta == b.base_delta && a.form == b.form &&
         a.kind == b.kind && a.trailing_bytes == b.trailing_bytes && a.image == b.image;
}

namespace exe_packed_fields_test {
namespace {

using namespace bdelta::test;

constexpr std::uint64_t kAddress = 0x400000;

// Two images that share a file, of 64 and of 32 bits.
std::vector<Image> two_images(std::uint64_t file_bytes) {
  Image first;
  first.size_bytes = file_bytes / 2;
  first.base_address = 0x10000;
  Image second = first;
  second.bits64 = false;
  second.file_pos = first.size_bytes;
  return {first, second};
}

// Of any form and kind, near one another, half of them with a target that their bytes tell.
std::vector<Field> random_fields(ByteSpan file, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Field> fields;
  for (std::size_t i = 0; i < count; ++i) {
    Field field;
    field.pos = random.below(file.size() - 8);
    field.form = static_cast<FieldForm>(random.below(kFieldFormCount));
    field.kind = static_cast<FieldKind>(random.below(29));
    field.trailing_bytes = static_cast<std::uint8_t>(random.below(5));
    if (random.below(2) == 0) field.base_delta = static_cast<std::uint32_t>(field.pos - random.below(file.size()));
    if (random.below(50) == 0) field.base_delta = static_cast<std::uint32_t>(random.below(~0u));
    field.target_address = random.below(2) == 0 ? kAddress + random.below(1 << 20) : random.below(~std::uint64_t{0});
    if (field.form == FieldForm::kAbs64) field.target_address = load_le<std::uint64_t>(file.data() + field.pos);
    if (field.form == FieldForm::kRel32) {
      const auto number = std::int64_t{static_cast<std::int32_t>(load_le<std::uint32_t>(file.data() + field.pos))};
      field.target_address = kAddress + field.pos + 4 + field.trailing_bytes + static_cast<std::uint64_t>(number);
    }
    if (field.form == FieldForm::kFileOffset32 && field.trailing_bytes != 0) {
      field.base_delta = static_cast<std::uint32_t>(field.pos);
      const std::uint64_t number = load_le<std::uint32_t>(file.data() + field.pos);
      field.target_address = kFileSpace + number * field.trailing_bytes;
    }
    fields.push_back(field);
  }
  return fields;
}

TEST(PackedFields, ComeBack) {
  const Bytes file = random_bytes(20'000, 1);
  const std::vector<Image> images = two_images(file.size());
  for (const std::uint64_t address : {kAddress, PackScope::kNoAddress}) {
    const PackScope scope{file, images, 1, 0, address};
    std::vector<Field> fields = random_fields(file, 3000, 2);
    for (Field& field : fields) field.image = 1;
    FieldShapes shapes;
    Bytes packed;
    pack_fields(scope, fields, shapes, packed);
    const std::size_t first_bytes = packed.size();
    pack_fields(scope, {}, shapes, packed);
    pack_fields(scope, std::span(fields).first(1), shapes, packed);
    std::vector<Field> back;
    ByteSpan rest = unpack_fields(scope, shapes, packed, back);
    EXPECT_EQ(packed.size() - first_bytes, rest.size());
    EXPECT_EQ(fields, back);
    rest = unpack_fields(scope, shapes, rest, back);
    EXPECT_TRUE(unpack_fields(scope, shapes, rest, back).empty());
    ASSERT_EQ(fields.size() + 1, back.size());
    EXPECT_EQ(fields.front(), back.back());
  }
}

TEST(PackedFields, TakeTwoBytesWhereTheFileTellsTheRest) {
  Bytes file(8000);
  std::vector<Field> fields;
  for (std::uint64_t pos = 0; pos < file.size(); pos += 8) {
    store_le<std::uint64_t>(file.data() + pos, pos * 977);
    fields.push_back({pos, pos * 977, 0, FieldForm::kAbs64, FieldKind::kPointer, 0, 0});
  }
  const std::vector<Image> images = two_images(2 * file.size());
  FieldShapes shapes;
  Bytes packed;
  pack_fields({file, images, 0, 0}, fields, shapes, packed);
  EXPECT_LE(packed.size(), 2 * fields.size() + 16);
}

// The file is the user's, and may change while it is looked at.
TEST(PackedFields, StayInPlaceWhenTheFileChanges) {
  Bytes file = random_bytes(5000, 3);
  const std::vector<Image> images = two_images(file.size());
  const std::vector<Field> fields = random_fields(file, 500, 4);
  FieldShapes shapes;
  Bytes packed;
  pack_fields({file, images, 0, 0, kAddress}, fields, shapes, packed);
  file = random_bytes(file.size(), 5);
  std::vector<Field> back;
  EXPECT_TRUE(unpack_fields({file, images, 0, 0, kAddress}, shapes, packed, back).empty());
  ASSERT_EQ(fields.size(), back.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    EXPECT_EQ(fields[i].pos, back[i].pos);
    EXPECT_EQ(fields[i].form, back[i].form);
  }
}

// What FieldBlocks::settle promises, in the simplest way.
std::vector<Field> in_order(std::vector<Field> fields) {
  std::stable_sort(fields.begin(), fields.end(), comes_before);
  std::vector<Field> kept;
  std::uint64_t end = 0;
  for (const Field& field : fields) {
    if (field.pos < end) continue;
    end = field.pos + field_bytes(field.form);
    kept.push_back(field);
  }
  return kept;
}

TEST(FieldBlocks, AreInOrderHoweverTheyCame) {
  const Bytes file = random_bytes(100'000, 6);
  const std::vector<Image> images = two_images(file.size());
  FieldBlocks blocks(file, images, 0);
  std::vector<Field> all;
  const auto add = [&](std::size_t count, std::uint64_t seed) {
    std::vector<Field> some = random_fields(ByteSpan(file).first(file.size() / 2), count, seed);
    all.insert(all.end(), some.begin(), some.end());
    blocks.take(some);
    EXPECT_TRUE(some.empty());
  };
  for (std::uint64_t round = 0; round < 2; ++round) {  // what comes after `settle` joins what stayed
    add(2000, 7 + round);
    add(10, 9 + round);
    add(3000, 11 + round);
    blocks.settle();
    all = in_order(all);
    std::vector<Field> found;
    FieldBlocks::Unpacked none;
    blocks.add_fields(0, file.size(), none, found);
    ASSERT_EQ(all, found);
  }
  Random random(13);
  FieldBlocks::Unpacked last;
  for (int round = 0; round < 200; ++round) {
    const std::uint64_t begin = random.below(file.size());
    const std::uint64_t end = begin + random.below(20'000);
    std::vector<Field> expected, found;
    for (const Field& field : all) {
      if (field.pos >= begin && field.pos < end) expected.push_back(field);
    }
    blocks.add_fields(begin, end, last, found);
    ASSERT_EQ(expected, found) << begin << " to " << end;
  }
  EXPECT_LT(blocks.memory_bytes(), all.size() * sizeof(Field));
}

}  // namespace
}  // namespace exe_packed_fields_test
}  // namespace bdelta::exe
