// Addresses in x86 code: what counts as a field, borders of all kinds; and what holds for any bytes on every machine.
#include <algorithm>
#include <map>

#include "exe/field_codec.hpp"
#include "exe/isa.hpp"
#include "exe/predict.hpp"
#include "exe/x86_sweep.hpp"
#include "support/exe_fields.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"
#include "unit/x86_encodings.hpp"

namespace bdelta::test::exe_isa_test {
namespace {

using exe::AddressRange;
using exe::CodeSection;
using exe::Field;
using exe::FieldForm;
using exe::FieldKind;
using exe::Machine;

constexpr std::uint64_t kAddress = 0x400000;
constexpr std::uint64_t kFilePos = 0x1000;
constexpr AddressRange kAll{0, ~std::uint64_t{0}};

// Without spare capacity, so that reading beyond the end is seen by a sanitizer.
Bytes exactly(const Bytes& bytes) { return Bytes(bytes.begin(), bytes.end()); }

std::vector<Field> fields_of(ByteSpan code, Machine machine, AddressRange image = kAll) {
  return code_fields(CodeSection{code, kAddress, kFilePos, machine}, image);
}

struct Expected {
  const char* encoding;
  FieldForm form;
  FieldKind kind;
  std::size_t offset;
  std::uint8_t trailing_bytes;
  std::int64_t delta;  // from the end of the instruction
};

void expect_field(const Expected& expected, Machine machine) {
  const Bytes code = from_hex(expected.encoding);
  const std::vector<Field> fields = fields_of(code, machine);
  ASSERT_EQ(1u, fields.size()) << expected.encoding;
  EXPECT_EQ(expected.form, fields[0].form) << expected.encoding;
  EXPECT_EQ(expected.kind, fields[0].kind) << expected.encoding;
  EXPECT_EQ(kFilePos + expected.offset, fields[0].pos) << expected.encoding;
  EXPECT_EQ(expected.trailing_bytes, fields[0].trailing_bytes) << expected.encoding;
  EXPECT_EQ(kAddress + code.size() + static_cast<std::uint64_t>(expected.delta), fields[0].target_address)
      << expected.encoding;
}

TEST(X86Fields, EachKind) {
  const auto rel32 = FieldForm::kRel32;
  const auto rel8 = FieldForm::kRel8;
  for (const Expected& expected : {
           Expected{"e8 f0 ff ff ff", rel32, FieldKind::kCall, 1, 0, -16},
           Expected{"67 e8 10 00 00 00", rel32, FieldKind::kCall, 2, 0, 16},
           Expected{"66 66 48 e8 10 00 00 00", rel32, FieldKind::kCall, 4, 0, 16},
           Expected{"e9 00 01 00 00", rel32, FieldKind::kJump, 1, 0, 256},
           Expected{"f2 e9 00 01 00 00", rel32, FieldKind::kJump, 2, 0, 256},
           Expected{"0f 84 00 ff ff ff", rel32, FieldKind::kBranch, 2, 0, -256},
           Expected{"3e 0f 8f 00 01 00 00", rel32, FieldKind::kBranch, 3, 0, 256},
           Expected{"eb fe", rel8, FieldKind::kShortBranch, 1, 0, -2},
           Expected{"7f 10", rel8, FieldKind::kShortBranch, 1, 0, 16},
           Expected{"e3 80", rel8, FieldKind::kShortBranch, 1, 0, -128},
           Expected{"48 8d 3d 00 01 00 00", rel32, FieldKind::kDataReference, 3, 0, 256},
           Expected{"48 8b 05 00 ff ff ff", rel32, FieldKind::kDataReference, 3, 0, -256},
           Expected{"80 3d 00 01 00 00 05", rel32, FieldKind::kDataReference, 2, 1, 256},
           Expected{"66 81 3d 00 01 00 00 05 00", rel32, FieldKind::kDataReference, 3, 2, 256},
           Expected{"c7 05 00 01 00 00 05 00 00 00", rel32, FieldKind::kDataReference, 2, 4, 256},
           Expected{"f7 05 00 01 00 00 05 00 00 00", rel32, FieldKind::kDataReference, 2, 4, 256},
           Expected{"f7 1d 00 01 00 00", rel32, FieldKind::kDataReference, 2, 0, 256},
           Expected{"ff 25 00 01 00 00", rel32, FieldKind::kDataReference, 2, 0, 256},
           Expected{"f2 0f 10 05 00 01 00 00", rel32, FieldKind::kDataReference, 4, 0, 256},
           Expected{"66 0f 3a 63 05 00 01 00 00 0c", rel32, FieldKind::kDataReference, 5, 1, 256},
           Expected{"c5 fb c2 05 00 01 00 00 01", rel32, FieldKind::kDataReference, 4, 1, 256},
           Expected{"c4 e2 7d 18 05 00 01 00 00", rel32, FieldKind::kDataReference, 5, 0, 256},
           Expected{"62 f3 75 48 25 05 00 01 00 00 ff", rel32, FieldKind::kDataReference, 6, 1, 256},
       }) {
    expect_field(expected, Machine::kX86_64);
  }
  expect_field({"e8 f0 ff ff ff", rel32, FieldKind::kCall, 1, 0, -16}, Machine::kX86_32);
  expect_field({"72 10", rel8, FieldKind::kShortBranch, 1, 0, 16}, Machine::kX86_32);
}

TEST(X86Fields, WhatIsNone) {
  for (const char* encoding : {"48 8b 45 00", "8b 04 25 00 10 00 00", "0f 20 05", "ff d0", "b8 00 10 00 00"}) {
    EXPECT_TRUE(fields_of(from_hex(encoding), Machine::kX86_64).empty()) << encoding;
  }
  for (const char* encoding : {"66 e8 00 10", "66 0f 84 00 10", "8b 05 00 10 00 00"}) {
    EXPECT_TRUE(fields_of(from_hex(encoding), Machine::kX86_32).empty()) << encoding;
  }
  EXPECT_TRUE(fields_of(from_hex("e8 00 00 00 00"), Machine::kNone).empty());
  EXPECT_TRUE(fields_of({}, Machine::kX86_64).empty());
}

TEST(X86Fields, AddressesOf32BitsWrap) {
  const Bytes code = from_hex("e8 00 00 00 80");
  const std::vector<Field> fields = fields_of(code, Machine::kX86_32);
  ASSERT_EQ(1u, fields.size());
  EXPECT_EQ(0x80400005u, fields[0].target_address);
}

TEST(X86Fields, TargetsLieInTheImage) {
  const Bytes code = from_hex("e8 00 00 00 00 e8 00 00 00 00");
  EXPECT_EQ(2u, fields_of(code, Machine::kX86_64, {kAddress, kAddress + 11}).size());
  const std::vector<Field> second = fields_of(code, Machine::kX86_64, {kAddress + 6, kAddress + 11});
  ASSERT_EQ(1u, second.size());
  EXPECT_EQ(kFilePos + 6, second[0].pos);
  EXPECT_EQ(1u, fields_of(code, Machine::kX86_64, {kAddress, kAddress + 10}).size());
  EXPECT_TRUE(fields_of(code, Machine::kX86_64, {kAddress, kAddress}).empty());
}

TEST(X86Fields, RunsOfFillersAreSkipped) {
  for (const std::uint8_t filler : {std::uint8_t{0x00}, std::uint8_t{0x90}, std::uint8_t{0xCC}}) {
    for (const std::size_t count : {7u, 8u, 9u, 31u, 1000u, 3'000'001u}) {
      // Seven zeros are no run but three instructions and the start of a fourth.
      if (filler == 0 && count < 8) continue;
      Bytes code = from_hex("c3");
      code.resize(1 + count, filler);
      append(code, from_hex("e8 10 00 00 00 c3"));
      const std::vector<Field> fields = fields_of(code, Machine::kX86_64);
      ASSERT_EQ(1u, fields.size()) << int{filler} << " x " << count;
      EXPECT_EQ(kFilePos + count + 2, fields[0].pos);
    }
  }
}

TEST(X86Fields, TruncatedAtEveryByte) {
  for (const char* encoding : kX86Encodings64) {
    const Bytes whole = from_hex(encoding);
    for (const std::size_t before : {0u, 1u, 20u, 40u}) {
      for (std::size_t length = 0; length <= whole.size(); ++length) {
        Bytes code(before, 0xC3);
        append(code, ByteSpan(whole).first(length));
        const std::vector<Field> fields = fields_of(exactly(code), Machine::kX86_64);
        for (const Field& field : fields) {
          EXPECT_LE(field.pos - kFilePos + field_bytes(field.form) + field.trailing_bytes, code.size()) << encoding;
        }
        if (length < whole.size()) continue;
        code.resize(before + 64);
        const auto found = exe::x86::decode_instruction<true>(code.data() + before);
        EXPECT_EQ(found.relative != exe::x86::Relative::kNone ? 1u : 0u, fields.size()) << encoding;
      }
    }
  }
}

// Instructions in a row; `size` bytes at least.
Bytes random_program(std::size_t size, std::uint64_t seed) {
  Random random(seed);
  Bytes code;
  while (code.size() < size) append(code, from_hex(kX86Encodings64[random.below(kX86Encodings64.size())]));
  return code;
}

TEST(X86Blocks, OnlyFieldsAcrossABorderAreLost) {
  const Bytes code = random_program(2 * exe::kCodeBlockBytes + 5000, 7);
  const std::vector<Field> fields = fields_of(code, Machine::kX86_64);
  std::map<std::uint64_t, Field> by_pos;
  for (const Field& field : fields) by_pos[field.pos] = field;
  ASSERT_EQ(fields.size(), by_pos.size());
  Bytes padded = code;
  padded.resize(code.size() + exe::x86::kReadableBytes);
  std::size_t expected_count = 0;
  for (std::size_t pos = 0; pos < code.size();) {
    const exe::x86::Instruction found = exe::x86::decode_instruction<true>(padded.data() + pos);
    const std::size_t at = pos + found.field_offset;
    const std::size_t last = at + (found.relative == exe::x86::Relative::kShort ? 0 : 3);
    pos += std::max<std::size_t>(found.length_bytes, 1);
    if (found.relative == exe::x86::Relative::kNone) continue;
    if (at / exe::kCodeBlockBytes != last / exe::kCodeBlockBytes) continue;
    ++expected_count;
    ASSERT_EQ(1u, by_pos.count(kFilePos + at)) << at;
  }
  EXPECT_EQ(expected_count, fields.size());
}

TEST(X86Blocks, BlocksAloneGiveTheSame) {
  const Bytes code = random_bytes(3 * exe::kCodeBlockBytes + 77, 8);
  const CodeSection section{code, kAddress, kFilePos, Machine::kX86_64};
  std::vector<std::vector<Field>> parts(exe::code_block_count(code.size()) + 1);
  for (std::size_t block = parts.size(); block-- > 0;) exe::find_code_fields(section, block, kAll, parts[block]);
  EXPECT_TRUE(parts.back().empty());
  std::vector<Field> joined;
  for (const auto& part : parts) joined.insert(joined.end(), part.begin(), part.end());
  const std::vector<Field> whole = fields_of(code, Machine::kX86_64);
  ASSERT_EQ(whole.size(), joined.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    ASSERT_EQ(whole[i].pos, joined[i].pos);
    ASSERT_EQ(whole[i].target_address, joined[i].target_address);
  }
}

// Whatever the bytes are: fields ascend, do not overlap, lie in the section, and the codec reads the same address.
void expect_fields_that_hold(ByteSpan file, std::size_t section_pos, Machine machine) {
  const bool bits64 = machine != Machine::kX86_32 && machine != Machine::kArm32;
  const AddressRange image{kAddress, kAddress + 0x4000'0000};
  const std::vector<Field> fields = code_fields({file.subspan(section_pos), kAddress, section_pos, machine, true}, image);
  std::uint64_t end = section_pos;
  for (Field field : fields) {
    ASSERT_GE(field.pos, end);
    end = field.pos + field_bytes(field.form);
    ASSERT_LE(end, file.size());
    const std::uint64_t found = field.target_address;
    // A page that nothing uses may begin before the image.
    ASSERT_GE(found + (field.kind == FieldKind::kPageReference ? 0xFFF : 0), image.low);
    ASSERT_LT(found, image.high);
    const std::uint64_t base = field.form == exe::FieldForm::kOffset32 ? exe::base_pos(field) : section_pos;
    ASSERT_TRUE(exe::read_field(file, {kAddress + field.pos - section_pos, kAddress + base - section_pos, bits64}, field));
    ASSERT_EQ(found, field.target_address);
  }
}

class AnyBytes : public ::testing::TestWithParam<Machine> {};

TEST_P(AnyBytes, GiveFieldsThatHold) {
  for (const std::size_t size : {1000u, 1048575u, 1048577u, 1600001u}) {
    expect_fields_that_hold(random_bytes(size, size), 16, GetParam());
  }
  for (std::size_t size = 16; size < 1000; ++size) {
    expect_fields_that_hold(exactly(random_bytes(size, size)), 16, GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, AnyBytes,
                         ::testing::Values(Machine::kX86_64, Machine::kX86_32, Machine::kArm64, Machine::kArm32));

}  // namespace
}  // namespace bdelta::test::exe_isa_test
