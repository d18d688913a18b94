// Addresses in Thumb-2 code, and in code that is partly that.
#include "exe/field_codec.hpp"
#include "exe/isa_kernels.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"
#include "unit/exe_seen_fields.hpp"

namespace bdelta::test::exe_thumb_test {
namespace {

using exe::AddressRange;
using exe::CodeSection;
using exe::Machine;

constexpr std::uint64_t kThumbAddress = 0x10000;
constexpr std::uint64_t kThumbPos = 0x40;
constexpr AddressRange kThumbImage{kThumbAddress - 0x1000, kThumbAddress + 0x1000'0000};

constexpr unsigned kThumbNop = 0xBF00;
constexpr unsigned kAddR2Pc = 0x447A;

Bytes halves(std::initializer_list<unsigned> values) {
  Bytes code;
  for (const unsigned value : values) append_le(code, static_cast<std::uint16_t>(value));
  return code;
}

CodeSection thumb_section(ByteSpan code, bool is_fixed = false) {
  return {code, kThumbAddress, kThumbPos, Machine::kArm32, is_fixed};
}

std::vector<Field> thumb_fields(ByteSpan code, bool is_fixed = false) {
  std::vector<Field> fields;
  exe::find_thumb_fields(thumb_section(code, is_fixed), {0, code.size()}, kThumbImage, fields);
  return fields;
}

struct ThumbBranch {
  unsigned first;
  unsigned second;
  FieldForm form;
  FieldKind kind;
  std::int64_t delta;  // of the target from the instruction
};

// The last three are of a library as its disassembler tells them.
TEST(ThumbFields, Branches) {
  for (const ThumbBranch& expected : {
           ThumbBranch{0xF000, 0xF802, FieldForm::kThumbBranch, FieldKind::kCall, 8},
           ThumbBranch{0xF7FF, 0xFFFE, FieldForm::kThumbBranch, FieldKind::kCall, 0},
           ThumbBranch{0xF000, 0xE802, FieldForm::kThumbBranch, FieldKind::kCall, 8},
           ThumbBranch{0xF000, 0xB802, FieldForm::kThumbBranch, FieldKind::kJump, 8},
           ThumbBranch{0xF000, 0x8002, FieldForm::kThumbCondition, FieldKind::kBranch, 8},
           ThumbBranch{0xF47F, 0xAFFE, FieldForm::kThumbCondition, FieldKind::kBranch, 0},
           ThumbBranch{0xF1DE, 0xECCA, FieldForm::kThumbBranch, FieldKind::kCall, 0x21dc30 - 0x3f298},
           ThumbBranch{0xF005, 0xF8B9, FieldForm::kThumbBranch, FieldKind::kCall, 0x44450 - 0x3f2da},
           ThumbBranch{0xF040, 0x81B1, FieldForm::kThumbCondition, FieldKind::kBranch, 0x3f632 - 0x3f2cc},
       }) {
    const std::vector<Field> fields = thumb_fields(halves({kThumbNop, kThumbNop, expected.first, expected.second}));
    ASSERT_EQ(1u, fields.size()) << std::hex << expected.first << expected.second;
    EXPECT_EQ(expected.form, fields[0].form) << std::hex << expected.second;
    EXPECT_EQ(expected.kind, fields[0].kind) << std::hex << expected.second;
    EXPECT_EQ(kThumbPos + 4, fields[0].pos);
    EXPECT_EQ(kThumbAddress + 4 + static_cast<std::uint64_t>(expected.delta), fields[0].target_address)
        << std::hex << expected.second;
  }
}

// It leads to a word, from wherever it stands; a number between two words is none.
TEST(ThumbFields, ACallOfCodeOfWords) {
  const std::vector<Field> fields = thumb_fields(halves({kThumbNop, 0xF000, 0xE802}));
  ASSERT_EQ(1u, fields.size());
  EXPECT_EQ(kThumbAddress + 8, fields[0].target_address);
  EXPECT_TRUE(thumb_fields(halves({kThumbNop, 0xF000, 0xE803})).empty());
  Bytes moved = halves({0xF000, 0xE802});
  EXPECT_FALSE(exe::write_field(moved.data(), fields[0], {kThumbAddress + 2, 0, false}, kThumbAddress + 10));
  ASSERT_TRUE(exe::write_field(moved.data(), fields[0], {kThumbAddress + 4, 0, false}, kThumbAddress + 16));
  EXPECT_TRUE(same_bytes(halves({0xF000, 0xE804}), moved));
}

TEST(ThumbFields, WhatIsNone) {
  // MOV, a short branch, one with a condition, LDR of a register, MOVW, MSR, a hint, SVC, a call beyond the image
  for (const auto& pair : {std::pair{0x4601u, 0xE000u}, {0xD001u, 0x6801u}, {0xF240u, 0x0001u}, {0xF380u, 0x8800u},
                           {0xF3AFu, 0x8000u}, {0xDF00u, kThumbNop}, {0xF400u, 0xD000u}}) {
    EXPECT_TRUE(thumb_fields(halves({pair.first, pair.second}), true).empty()) << std::hex << pair.first;
  }
}

// What an instruction is tells only the one before it.
TEST(ThumbFields, TheSecondHalfIsNoInstruction) {
  EXPECT_EQ(1u, thumb_fields(halves({kThumbNop, 0xF000, 0xF802})).size());
  EXPECT_TRUE(thumb_fields(halves({0xF8D0, 0xF000, kThumbNop, 0xF802})).empty());
}

TEST(ThumbFields, ALiteralThatAnAddCountsFrom) {
  const std::vector<Field> fields = thumb_fields(halves({0x4A01, kAddR2Pc, kThumbNop, kThumbNop, 0x0101, 0}));
  ASSERT_EQ(1u, fields.size());
  EXPECT_EQ(FieldForm::kOffset32, fields[0].form);
  EXPECT_EQ(FieldKind::kDataReference, fields[0].kind);
  EXPECT_EQ(kThumbPos + 8, fields[0].pos);
  EXPECT_EQ(kThumbPos + 6, base_pos(fields[0])) << "four bytes behind the ADD";
  EXPECT_EQ(kThumbAddress + 6 + 0x101, fields[0].target_address);
}

TEST(ThumbFields, ALongLoadOfAHighRegister) {
  const std::vector<Field> fields = thumb_fields(halves({0xF8DF, 0xA004, 0x44FA, kThumbNop, 0x0100, 0}));
  ASSERT_EQ(1u, fields.size());
  EXPECT_EQ(kThumbPos + 8, fields[0].pos);
  EXPECT_EQ(kThumbAddress + 8 + 0x100, fields[0].target_address);
}

TEST(ThumbFields, AUseTooFarBehindOrOfAnotherRegister) {
  for (const std::size_t between : {62u, 63u}) {
    Bytes code = halves({0x4A20});  // of the word 132 bytes on
    for (std::size_t i = 0; i < between; ++i) append_le(code, static_cast<std::uint16_t>(kThumbNop));
    append_le(code, static_cast<std::uint16_t>(kAddR2Pc));
    code.resize(136, 0);
    EXPECT_EQ(between == 62 ? 1u : 0u, thumb_fields(code).size()) << between;
  }
  EXPECT_TRUE(thumb_fields(halves({0x4A01, 0x447B, kThumbNop, kThumbNop, 0x0100, 0})).empty());
}

TEST(ThumbFields, AddressesAsSuchInProgramsThatAreNotMoved) {
  const Bytes code = halves({0x4A00, kThumbNop, 0x0100, 0x0001});
  EXPECT_TRUE(thumb_fields(code).empty());
  const std::vector<Field> fields = thumb_fields(code, true);
  ASSERT_EQ(1u, fields.size());
  EXPECT_EQ(FieldForm::kAbs32, fields[0].form);
  EXPECT_EQ(FieldKind::kCodePointer, fields[0].kind);
  EXPECT_EQ(0x10100u, fields[0].target_address);
}

// Neither one that looks like a call, nor one whose end looks like the first half of something, nor what would begin in
// front of it and reach into it.
TEST(ThumbFields, ALiteralIsNoInstruction) {
  EXPECT_EQ(1u, thumb_fields(halves({0x4B00, kThumbNop, 0xF000, 0xF802})).size() +
                    thumb_fields(halves({kThumbNop, kThumbNop, 0xF000, 0xF802})).size());
  EXPECT_EQ(1u, thumb_fields(halves({0x4B00, kThumbNop, 0x1234, 0xF8D0, 0xF000, 0xF802})).size());
  EXPECT_EQ(1u, thumb_fields(halves({0x4B00, 0xF000, 0xF802, 0x0000, 0xF000, 0xF802})).size());
}

constexpr std::uint32_t kCallOfWords = 0xEB000010;
constexpr std::uint32_t kCallOfHalves = 0xF802F000;
constexpr std::uint32_t kShortBranch = 0xBF00E7FE;  // and a NOP

// Each second word of the stretches is a call.
Bytes words_and_halves(std::size_t stretches, const std::function<bool(std::size_t)>& is_words) {
  Bytes code;
  for (std::size_t i = 0; i < stretches; ++i) {
    for (std::size_t k = 0; k < 128; ++k) {
      append_le(code, is_words(i) ? kCallOfWords : kCallOfHalves);
      append_le(code, is_words(i) ? 0xE1A00000u : kShortBranch);
    }
  }
  return code;
}

TEST(MixedArmFields, EachStretchIsWhatItLooksLike) {
  const Bytes code = words_and_halves(9, [](std::size_t i) { return i % 3 == 1; });
  const std::vector<Field> fields = code_fields(thumb_section(code), kThumbImage);
  ASSERT_EQ(9u * 128, fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    EXPECT_EQ(kThumbPos + 8 * i, fields[i].pos);
    EXPECT_EQ(i / 128 % 3 == 1 ? FieldForm::kArm32Branch : FieldForm::kThumbBranch, fields[i].form) << i;
  }
}

// Zeros tell nothing: the calls among them are those of the code around.
TEST(MixedArmFields, AnUnclearStretchIsWhatMostAre) {
  for (const bool mostly_words : {true, false}) {
    Bytes code = words_and_halves(3, [&](std::size_t) { return mostly_words; });
    std::fill(code.begin() + 1024, code.begin() + 2048, std::uint8_t{0});
    store_le(code.data() + 1024, mostly_words ? kCallOfWords : kCallOfHalves);
    const std::vector<Field> fields = code_fields(thumb_section(code), kThumbImage);
    ASSERT_EQ(2u * 128 + 1, fields.size());
    EXPECT_EQ(mostly_words ? FieldForm::kArm32Branch : FieldForm::kThumbBranch, fields[128].form);
  }
}

TEST(MixedArmFields, BlocksAloneGiveTheSame) {
  Bytes code = random_bytes(2 * exe::kCodeBlockBytes + 78, 3);
  const Bytes calls = words_and_halves(code.size() / 4096, [](std::size_t i) { return i % 2 == 1; });
  std::copy(calls.begin(), calls.end(), code.begin());
  for (std::size_t i = 0; i + 3 < code.size(); i += 20) code[i + 1] = 0x4A;  // many loads
  expect_same_by_blocks(thumb_section(code, true), kThumbImage, 50'000);
}

}  // namespace
}  // namespace bdelta::test::exe_thumb_test
