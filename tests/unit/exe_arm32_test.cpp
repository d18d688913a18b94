// Addresses in 32-bit ARM code, and in its unwind tables.
#include "exe/isa.hpp"
#include "support/exe_craft_more.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"
#include "unit/exe_seen_fields.hpp"

namespace bdelta::test::exe_arm32_test {
namespace {

using exe::AddressRange;
using exe::CodeSection;
using exe::Machine;

constexpr std::uint64_t kAddress = 0x10000;
constexpr std::uint64_t kFilePos = 0x40;
constexpr AddressRange kImage{kAddress - 0x1000, kAddress + 0x1000'0000};

constexpr std::uint32_t kNop = 0xE320F000;

CodeSection section_of(ByteSpan code, bool is_fixed) {
  return {code, kAddress, kFilePos, Machine::kArm32, is_fixed};
}

std::vector<Field> fields_of_words(const std::vector<std::uint32_t>& words, bool is_fixed = false) {
  Bytes code;
  for (const std::uint32_t word : words) append_le(code, word);
  return code_fields(section_of(code, is_fixed), kImage);
}

std::uint32_t load(unsigned to, unsigned distance) { return 0xE59F0000 | to << 12 | distance; }
std::uint32_t load_back(unsigned to, unsigned distance) { return 0xE51F0000 | to << 12 | distance; }
std::uint32_t add_pc(unsigned to, unsigned from) { return 0xE08F0000 | to << 12 | from; }

struct Expected {
  std::uint32_t word;
  FieldKind kind;
  std::int64_t delta;  // of the target from the word
};

TEST(Arm32Fields, Branches) {
  for (const Expected& expected : {
           Expected{0xEB000004, FieldKind::kCall, 24},
           Expected{0x0BFFFFFC, FieldKind::kCall, -8},
           Expected{0xFA000000, FieldKind::kCall, 8},
           Expected{0xFBFFFFFF, FieldKind::kCall, 4},
           Expected{0xEA000400, FieldKind::kJump, 4104},
           Expected{0x0A000000, FieldKind::kBranch, 8},
           Expected{0xDAFFFFFD, FieldKind::kBranch, -4},
       }) {
    const std::vector<Field> fields = fields_of_words({kNop, kNop, expected.word, kNop});
    ASSERT_EQ(1u, fields.size()) << std::hex << expected.word;
    EXPECT_EQ(FieldForm::kArm32Branch, fields[0].form) << std::hex << expected.word;
    EXPECT_EQ(expected.kind, fields[0].kind) << std::hex << expected.word;
    EXPECT_EQ(kFilePos + 8, fields[0].pos) << std::hex << expected.word;
    EXPECT_EQ(kAddress + 8 + static_cast<std::uint64_t>(expected.delta), fields[0].target_address)
        << std::hex << expected.word;
  }
}

TEST(Arm32Fields, WhatIsNone) {
  // MOV, BX, LDR of a register, ADD of two registers, LDRB of a literal, SVC, BLX beyond the image.
  for (const std::uint32_t word : {0xE1A00001u, 0xE12FFF1Eu, 0xE5910004u, 0xE0810002u, 0xE5DF0000u, 0xEF000000u, kNop}) {
    EXPECT_TRUE(fields_of_words({word, word}, true).empty()) << std::hex << word;
  }
  EXPECT_TRUE(fields_of_words({0xEBC00000, kNop}).empty()) << "before the image";
}

TEST(Arm32Fields, ALiteralThatAnAddCountsFrom) {
  const std::vector<Field> fields = fields_of_words({load(2, 8), kNop, add_pc(3, 2), kNop, 0x100});
  ASSERT_EQ(1u, fields.size());
  EXPECT_EQ(FieldForm::kOffset32, fields[0].form);
  EXPECT_EQ(FieldKind::kDataReference, fields[0].kind);
  EXPECT_EQ(kFilePos + 16, fields[0].pos);
  EXPECT_EQ(kFilePos + 16, base_pos(fields[0])) << "eight bytes behind the ADD";
  EXPECT_EQ(kAddress + 16 + 0x100, fields[0].target_address);
}

TEST(Arm32Fields, ALiteralThatALoadCountsFrom) {
  const std::vector<Field> fields = fields_of_words({load(2, 4), 0xE79F1002, kNop, 0xFFFFFFF8});
  ASSERT_EQ(1u, fields.size());
  EXPECT_EQ(kFilePos + 12, base_pos(fields[0]));
  EXPECT_EQ(kAddress + 12 - 8, fields[0].target_address);
}

TEST(Arm32Fields, ALiteralBeforeItsLoad) {
  const std::vector<Field> fields = fields_of_words({0x100, load_back(2, 12), add_pc(2, 2), kNop, kNop});
  ASSERT_EQ(1u, fields.size());
  EXPECT_EQ(kFilePos, fields[0].pos);
  EXPECT_EQ(kAddress + 16 + 0x100, fields[0].target_address);
}

TEST(Arm32Fields, AddressesAsSuchInProgramsThatAreNotMoved) {
  const std::vector<std::uint32_t> words = {load(2, 0), kNop, 0x10100};
  EXPECT_TRUE(fields_of_words(words).empty());
  const std::vector<Field> fields = fields_of_words(words, true);
  ASSERT_EQ(1u, fields.size());
  EXPECT_EQ(FieldForm::kAbs32, fields[0].form);
  EXPECT_EQ(FieldKind::kCodePointer, fields[0].kind);
  EXPECT_EQ(0x10100u, fields[0].target_address);
}

TEST(Arm32Fields, ALiteralIsNoInstruction) {
  constexpr std::uint32_t kCall = 0xEB000000;
  EXPECT_EQ(1u, fields_of_words({kNop, kNop, kCall}).size());
  EXPECT_TRUE(fields_of_words({load(2, 0), kNop, kCall}).empty());
}

TEST(Arm32Fields, AUseTooFarBehindOrOfAnotherRegister) {
  for (const std::size_t between : {30u, 31u}) {
    std::vector<std::uint32_t> words{load(2, 4 * 40)};
    words.insert(words.end(), between, kNop);
    words.push_back(add_pc(2, 2));
    words.resize(43, 0x10);
    EXPECT_EQ(between == 30 ? 1u : 0u, fields_of_words(words).size()) << between;
  }
  EXPECT_TRUE(fields_of_words({load(2, 4), add_pc(3, 3), kNop, 0x10}).empty());
}

// Of two uses the first tells; after it the register holds something else.
TEST(Arm32Fields, TheFirstUseCounts) {
  const std::vector<Field> fields = fields_of_words({load(2, 8), add_pc(3, 2), add_pc(4, 2), kNop, 0x10});
  ASSERT_EQ(1u, fields.size());
  EXPECT_EQ(kFilePos + 12, base_pos(fields[0]));
}

TEST(Arm32Fields, LiteralsAcrossABlockBorder) {
  Bytes code;
  for (std::size_t i = 0; i < exe::kCodeBlockBytes / 4 + 16; ++i) append_le(code, kNop);
  const std::size_t at = exe::kCodeBlockBytes - 4;
  store_le(code.data() + at, load(2, 4));
  store_le(code.data() + at + 4, add_pc(2, 2));
  store_le(code.data() + at + 12, std::uint32_t{0x20});
  std::vector<Field> fields;
  exe::find_code_fields(section_of(code, false), 1, kImage, fields);
  ASSERT_EQ(1u, fields.size());
  EXPECT_EQ(kFilePos + at + 12, fields[0].pos);
  EXPECT_EQ(kAddress + at + 12 + 0x20, fields[0].target_address);
}

TEST(Arm32Fields, BlocksAloneGiveTheSame) {
  Bytes code = random_bytes(2 * exe::kCodeBlockBytes + 78, 3);
  for (std::size_t i = 0; i + 3 < code.size(); i += 12) code[i + 3] = 0xE5, code[i + 2] = 0x9F;  // many loads
  expect_same_by_blocks(section_of(code, true), kImage, 100);
}

TEST(Arm32Fields, UnwindTables) {
  const auto at = [](std::size_t pos) { return kArm32Base + pos; };
  const std::vector<Seen> expected = {
      {kArm32Index, FieldForm::kPrel31, FieldKind::kUnwindStart, at(kArm32Code)},
      {kArm32Index + 4, FieldForm::kPrel31, FieldKind::kUnwindEntry, at(kArm32Entries)},
      {kArm32Index + 8, FieldForm::kPrel31, FieldKind::kUnwindStart, at(kArm32Code + 0x10)},
      {kArm32Index + 16, FieldForm::kPrel31, FieldKind::kUnwindStart, at(kArm32Code + 0x20)},
      {kArm32Index + 24, FieldForm::kPrel31, FieldKind::kUnwindStart, at(kArm32Code + 0x30)},
      {kArm32Index + 28, FieldForm::kPrel31, FieldKind::kUnwindEntry, at(kArm32Entries + 8)},
      {kArm32Entries, FieldForm::kPrel31, FieldKind::kUnwindEntry, at(kArm32Code + 0x80)},
  };
  EXPECT_EQ(expected, fields_of(craft_arm32()));
}

}  // namespace
}  // namespace bdelta::test::exe_arm32_test
