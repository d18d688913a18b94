// Addresses in AArch64 code, one word at a time, and pairs of ADRP with what uses its page.
#include "exe/isa.hpp"
#include "support/exe_fields.hpp"
#include "support/expect.hpp"

namespace bdelta::test::exe_arm64_test {
namespace {

using exe::AddressRange;
using exe::CodeSection;
using exe::Field;
using exe::FieldForm;
using exe::FieldKind;
using exe::Machine;

constexpr std::uint64_t kAddress = 0x10000;
constexpr std::uint64_t kFilePos = 0x40;
constexpr AddressRange kImage{kAddress, kAddress + 0x1000'0000};

constexpr std::uint32_t kNop = 0xD503201F;
constexpr std::uint32_t kRet = 0xD65F03C0;

std::vector<Field> fields_of(ByteSpan code, AddressRange image = kImage) {
  return code_fields(CodeSection{code, kAddress, kFilePos, Machine::kArm64}, image);
}

Bytes code_of(const std::vector<std::uint32_t>& words) {
  Bytes code;
  for (const std::uint32_t word : words) append_le(code, word);
  return code;
}

std::vector<Field> fields_of_words(const std::vector<std::uint32_t>& words) { return fields_of(code_of(words)); }

// ADRP of a page so many pages after the code's own, which is page 16.
std::uint32_t adrp(unsigned reg, unsigned pages) { return 0x90000000 | (pages & 3) << 29 | pages >> 2 << 5 | reg; }
std::uint32_t add(unsigned to, unsigned from, unsigned low) { return 0x91000000 | low << 10 | from << 5 | to; }
std::uint32_t ldr(unsigned to, unsigned from, unsigned low) { return 0xF9400000 | low / 8 << 10 | from << 5 | to; }

struct Expected {
  std::uint32_t word;
  FieldForm form;
  FieldKind kind;
  std::int64_t delta;  // of the target from the word
};

TEST(Arm64Fields, EachForm) {
  for (const Expected& expected : {
           Expected{0x94000004, FieldForm::kArmBranch26, FieldKind::kCall, 16},
           Expected{0x97FFFFFF, FieldForm::kArmBranch26, FieldKind::kCall, -4},
           Expected{0x14000400, FieldForm::kArmBranch26, FieldKind::kJump, 4096},
           Expected{0x54000040, FieldForm::kArmBranch19, FieldKind::kBranch, 8},
           Expected{0x54FFFFE1, FieldForm::kArmBranch19, FieldKind::kBranch, -4},
           Expected{0xB4000043, FieldForm::kArmBranch19, FieldKind::kBranch, 8},
           Expected{0x35000043, FieldForm::kArmBranch19, FieldKind::kBranch, 8},
           Expected{0x36180041, FieldForm::kArmBranch14, FieldKind::kShortBranch, 8},
           Expected{0xB707FFE1, FieldForm::kArmBranch14, FieldKind::kShortBranch, -4},
           Expected{0x58000082, FieldForm::kArmBranch19, FieldKind::kDataReference, 16},
           Expected{0x98000082, FieldForm::kArmBranch19, FieldKind::kDataReference, 16},
           Expected{0x9C000082, FieldForm::kArmBranch19, FieldKind::kDataReference, 16},
           Expected{0x10000085, FieldForm::kArmAdr, FieldKind::kDataReference, 16},
           Expected{0x70FFFFE5, FieldForm::kArmAdr, FieldKind::kDataReference, -1},
           Expected{0xB0000005, FieldForm::kArmPage, FieldKind::kPageReference, 4096 - 8},
       }) {
    const std::vector<Field> fields = fields_of_words({kNop, kNop, expected.word, kRet});
    ASSERT_EQ(1u, fields.size()) << std::hex << expected.word;
    EXPECT_EQ(expected.form, fields[0].form) << std::hex << expected.word;
    EXPECT_EQ(expected.kind, fields[0].kind) << std::hex << expected.word;
    EXPECT_EQ(kFilePos + 8, fields[0].pos) << std::hex << expected.word;
    EXPECT_EQ(kAddress + 8 + static_cast<std::uint64_t>(expected.delta), fields[0].target_address)
        << std::hex << expected.word;
  }
}

TEST(Arm64Fields, WhatIsNone) {
  // MOV, BR, BLR, LDP, ADD without ADRP, LDR without ADRP, ADDS, SIMD of size 3 where LDR literal has none.
  for (const std::uint32_t word : {0xAA0103E0u, 0xD61F0000u, 0xD63F0000u, 0xA9407BFDu, 0x91000421u, 0xF9400421u,
                                   0xB1000421u, 0xDC000082u, kNop, kRet}) {
    EXPECT_TRUE(fields_of_words({word, word}).empty()) << std::hex << word;
  }
}

TEST(Arm64Fields, BothPartsHaveTheWholeAddress) {
  const std::vector<Field> fields = fields_of_words({adrp(3, 5), kNop, add(4, 3, 0x123)});
  ASSERT_EQ(2u, fields.size());
  EXPECT_EQ(FieldForm::kArmPage, fields[0].form);
  EXPECT_EQ(kAddress + 0x5123, fields[0].target_address);
  EXPECT_EQ(FieldForm::kArmLow12, fields[1].form);
  EXPECT_EQ(FieldKind::kPageOffset, fields[1].kind);
  EXPECT_EQ(kAddress + 0x5123, fields[1].target_address);
}

struct Access {
  std::uint32_t word;  // base register x3, offset 2 units
  std::uint8_t scale;
};

TEST(Arm64Fields, ScaledBySizeOfAccess) {
  for (const Access access : {Access{0x39400861, 0}, Access{0x39000861, 0}, Access{0x79400861, 1},
                              Access{0xB9400861, 2}, Access{0xB9800861, 2}, Access{0xF9400861, 3},
                              Access{0xF9000861, 3}, Access{0xF9800860, 3}, Access{0x3D400861, 0},
                              Access{0xBD400861, 2}, Access{0xFD400861, 3}, Access{0x3DC00861, 4},
                              Access{0x3D800861, 4}}) {
    const std::vector<Field> fields = fields_of_words({adrp(3, 1), access.word});
    ASSERT_EQ(2u, fields.size()) << std::hex << access.word;
    EXPECT_EQ(FieldForm::kArmLow12Scaled, fields[1].form);
    EXPECT_EQ(access.scale, fields[1].trailing_bytes) << std::hex << access.word;
    EXPECT_EQ(kAddress + 0x1000 + (2u << access.scale), fields[1].target_address) << std::hex << access.word;
    EXPECT_EQ(fields[1].target_address, fields[0].target_address);
  }
}

TEST(Arm64Fields, OnePageServesSeveralUses) {
  const std::vector<Field> fields = fields_of_words({adrp(3, 1), ldr(5, 3, 0x10), ldr(6, 3, 0x18), add(3, 3, 0x20)});
  ASSERT_EQ(4u, fields.size());
  EXPECT_EQ(kAddress + 0x1010, fields[0].target_address);
  EXPECT_EQ(kAddress + 0x1018, fields[2].target_address);
  EXPECT_EQ(kAddress + 0x1020, fields[3].target_address);
}

TEST(Arm64Fields, AnOverwrittenRegisterIsNoPage) {
  // MOV x3, x1; LDR x3, [x9]; ADD x3, x3, #0 (which is a use, the next no more); MOV w3, #1; LDP x3, x4, [x5].
  for (const std::uint32_t word : {0xAA0103E3u, 0xF9400123u, 0x52800023u, 0xA94010A3u}) {
    EXPECT_EQ(1u, fields_of_words({adrp(3, 1), word, add(4, 3, 8)}).size()) << std::hex << word;
  }
  EXPECT_EQ(2u, fields_of_words({adrp(3, 1), add(3, 3, 0), add(4, 3, 8)}).size());
  // STR x3, [x9]; CMP x1, x3 and CCMP write no x3.
  for (const std::uint32_t word : {0xF9000123u, 0xEB03003Fu, 0xFA410823u}) {
    EXPECT_EQ(2u, fields_of_words({adrp(3, 1), word, add(4, 3, 8)}).size()) << std::hex << word;
  }
}

TEST(Arm64Fields, APageServesItsRowAndTheNext) {
  for (std::size_t at = 0; at < 16; ++at) {
    for (std::size_t use = at + 1; use < 40; ++use) {
      std::vector<std::uint32_t> words(40, kNop);
      words[at] = adrp(3, 1);
      words[use] = add(4, 3, 8);
      EXPECT_EQ(use < 32 ? 2u : 1u, fields_of_words(words).size()) << at << " " << use;
    }
  }
}

TEST(Arm64Fields, PairsAcrossABlockBorder) {
  const std::size_t border = exe::kCodeBlockBytes / 4;
  std::vector<std::uint32_t> words(2 * border, kNop);
  words[border - 3] = adrp(3, 1);
  words[border + 9] = add(4, 3, 8);
  const Bytes code = code_of(words);
  for (const std::size_t block : {0u, 1u}) {
    std::vector<Field> fields;
    exe::find_code_fields({code, kAddress, kFilePos, Machine::kArm64}, block, kImage, fields);
    ASSERT_EQ(1u, fields.size());
    // The ADRP is in the last page of the first block.
    EXPECT_EQ(kAddress + exe::kCodeBlockBytes - 0x1000 + 0x1008, fields[0].target_address) << block;
  }
}

TEST(Arm64Fields, TargetsLieInTheImage) {
  const Bytes code = code_of({0x94000004, adrp(3, 1), ldr(4, 3, 0x800), ldr(5, 3, 0x808)});
  EXPECT_EQ(4u, fields_of(code, {kAddress, kAddress + 0x1809}).size());
  EXPECT_EQ(3u, fields_of(code, {kAddress, kAddress + 0x1808}).size());
  EXPECT_EQ(2u, fields_of(code, {kAddress, kAddress + 0x1001}).size());  // a page may begin outside what it leads to
  EXPECT_EQ(1u, fields_of(code, {kAddress, kAddress + 0x1000}).size());
  EXPECT_EQ(0u, fields_of(code, {kAddress, kAddress + 0x10}).size());
}

TEST(Arm64Fields, AShortTailIsIgnored) {
  Bytes code = code_of({0x94000001, 0x94000001});
  while (code.size() > 4) {
    EXPECT_EQ(code.size() / 4, fields_of(code).size());
    code.pop_back();
  }
}

}  // namespace
}  // namespace bdelta::test::exe_arm64_test
