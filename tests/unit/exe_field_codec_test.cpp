// What is written into a field is read again, the bits around it stay, and what doesn't fit changes nothing.
#include "exe/field_codec.hpp"

#include <array>

#include "support/expect.hpp"
#include "support/generate.hpp"

namespace bdelta::test::exe_field_codec_test {
namespace {

using exe::Field;
using exe::FieldForm;
using exe::FieldOrigin;

struct FormCase {
  FieldForm form;
  std::uint64_t own_bits;  // of the little-endian field: those that belong to the address
  std::uint8_t trailing_bytes = 0;
};

constexpr std::uint64_t kWord = 0xFFFFFFFF;
constexpr std::uint64_t kAllBits = ~std::uint64_t{0};

constexpr auto kForms = std::to_array<FormCase>({
    {FieldForm::kRel8, 0xFF},
    {FieldForm::kRel32, kWord},
    {FieldForm::kRel32, kWord, 4},
    {FieldForm::kAbs32, kWord},
    {FieldForm::kAbs64, kAllBits},
    {FieldForm::kRva32, kWord},
    {FieldForm::kOffset32, kWord},
    {FieldForm::kArmBranch26, 0x03FFFFFF},
    {FieldForm::kArmBranch19, 0x00FFFFE0},
    {FieldForm::kArmBranch14, 0x0007FFE0},
    {FieldForm::kArmAdr, 0x60FFFFE0},
    {FieldForm::kArmPage, 0x60FFFFE0},
    {FieldForm::kArmLow12, 0x003FFC00},
    {FieldForm::kArmLow12Scaled, 0x003FFC00, 0},
    {FieldForm::kArmLow12Scaled, 0x003FFC00, 1},
    {FieldForm::kArmLow12Scaled, 0x003FFC00, 3},
    {FieldForm::kArmLow12Scaled, 0x003FFC00, 4},
    {FieldForm::kSize32, kWord},
    {FieldForm::kSize64, kAllBits},
    {FieldForm::kMachChained, (std::uint64_t{1} << 36) - 1, 36},
    {FieldForm::kMachChained, (std::uint64_t{1} << 43) - 1, 43},
    {FieldForm::kMachChained, kWord, 32 | exe::kChainedFromBase},
    {FieldForm::kMachChained, kAllBits, 64},
    {FieldForm::kBack32, kWord},
    {FieldForm::kOffset24, 0x00FFFFFF},
    {FieldForm::kFileOffset32, kWord, 1},
    {FieldForm::kArm32Branch, 0x00FFFFFF},
    {FieldForm::kPrel31, 0x7FFFFFFF},
    {FieldForm::kUleb21, 0x7F7F7F},
    {FieldForm::kUleb28, 0x7F7F7F7F},
    {FieldForm::kFileUleb21, 0x7F7F7F, 1},
    {FieldForm::kFileUleb28, 0x7F7F7F7F, 1},
    {FieldForm::kThumbBranch, 0x2FFF07FF},
    {FieldForm::kThumbBranch, 0x2FFF07FF, exe::kToArm},
    {FieldForm::kThumbCondition, 0x2FFF043F},
    {FieldForm::kFileOffset24, 0xFFFFFF00, 16},
});

Field field_of(const FormCase& c) {
  Field field;
  field.form = c.form;
  field.trailing_bytes = c.trailing_bytes;
  return field;
}

std::uint64_t value_of(const Bytes& bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

FieldOrigin random_place(Random& random, bool bits64) {
  FieldOrigin place{random.next() >> random.below(64), random.next() >> random.below(64), bits64};
  if (!bits64) place = {place.own_address & kWord, place.base_address & kWord, false};
  return place;
}

// The address that random bytes of a field mean can be written from there, so every value a form can hold is tried.
void round_trip(const FormCase& c, bool bits64, Random& random) {
  const std::size_t size = field_bytes(c.form);
  Field field = field_of(c);
  field.target_address = random.next() & (bits64 ? kAllBits : kWord);
  const Bytes meant = random_bytes(size, random.next());
  const FieldOrigin place = random_place(random, bits64);
  if (!exe::read_field(meant, place, field)) {
    EXPECT_TRUE(c.form == FieldForm::kArmLow12Scaled || c.trailing_bytes == exe::kToArm) << static_cast<int>(c.form);
    return;
  }
  if (!bits64 && !exe::leads_into_file(c.form)) { EXPECT_LE(field.target_address, kWord); }

  const Bytes before = random_bytes(size, random.next());
  Bytes written = before;
  ASSERT_TRUE(exe::write_field(written.data(), field, place, field.target_address)) << static_cast<int>(c.form);
  EXPECT_EQ(value_of(before) & ~c.own_bits, value_of(written) & ~c.own_bits) << static_cast<int>(c.form);
  EXPECT_EQ(value_of(meant) & c.own_bits, value_of(written) & c.own_bits) << static_cast<int>(c.form);

  Field again = field;
  ASSERT_TRUE(exe::read_field(written, place, again));
  EXPECT_EQ(field.target_address, again.target_address) << static_cast<int>(c.form);
}

TEST(FieldCodec, WhatIsWrittenIsRead) {
  Random random(1);
  for (const FormCase& c : kForms) {
    for (int i = 0; i < 4000; ++i) {
      round_trip(c, true, random);
      // Fields of 64 bits and those of AArch64 are not found in 32-bit images.
      const bool is_arm32 = c.form == FieldForm::kArm32Branch || c.form == FieldForm::kPrel31 ||
                            c.form == FieldForm::kThumbBranch || c.form == FieldForm::kThumbCondition;
      const bool is_plain = field_bytes(c.form) < 8 && (c.own_bits == kWord || c.own_bits == 0xFF);
      if (is_plain || is_arm32) round_trip(c, false, random);
    }
  }
}

// Any address from any place: it is either written and read again, or nothing changes.
TEST(FieldCodec, WrittenOrLeftAlone) {
  Random random(2);
  for (const FormCase& c : kForms) {
    for (int i = 0; i < 4000; ++i) {
      const FieldOrigin place = random_place(random, true);
      const std::uint64_t near = place.own_address + (random.next() >> random.between(20, 63)) - (random.next() >> 50);
      const std::uint64_t target = random.below(4) == 0 ? place.base_address + random.below(1 << 20) : near;
      const Bytes before = random_bytes(field_bytes(c.form), random.next());
      Bytes bytes = before;
      Field field = field_of(c);
      if (!exe::write_field(bytes.data(), field, place, target)) {
        ASSERT_EQ(before, bytes);
        continue;
      }
      field.target_address = target;
      ASSERT_TRUE(exe::read_field(bytes, place, field));
      ASSERT_EQ(target, field.target_address) << static_cast<int>(c.form);
    }
  }
}

struct Limit {
  FormCase form;
  std::int64_t lowest;  // of the target from `kOwn`, where base is kOwn too
  std::int64_t highest;
};

constexpr std::uint64_t kOwn = 0x4000'0000'0000;

TEST(FieldCodec, LargestAndSmallest) {
  for (const Limit& limit : {
           Limit{{FieldForm::kRel8, 0}, 1 - 128, 1 + 127},
           Limit{{FieldForm::kRel32, 0, 1}, 5 - 0x80000000ll, 5 + 0x7FFFFFFFll},
           Limit{{FieldForm::kRva32, 0}, 0, 0xFFFFFFFFll},
           Limit{{FieldForm::kOffset32, 0}, -0x80000000ll, 0x7FFFFFFFll},
           Limit{{FieldForm::kArmBranch26, 0}, -0x8000000ll, 0x7FFFFFCll},
           Limit{{FieldForm::kArmBranch19, 0}, -0x100000ll, 0xFFFFCll},
           Limit{{FieldForm::kArmBranch14, 0}, -0x8000ll, 0x7FFCll},
           Limit{{FieldForm::kArmAdr, 0}, -0x100000ll, 0xFFFFFll},
           Limit{{FieldForm::kArmPage, 0}, -0x100000000ll, 0xFFFFFFFFll},
           Limit{{FieldForm::kSize32, 0}, 0, 0xFFFFFFFFll},
           Limit{{FieldForm::kMachChained, 0, 36 | exe::kChainedFromBase}, 0, 0xFFFFFFFFFll},
           Limit{{FieldForm::kBack32, 0}, -0xFFFFFFFFll, 0},
           Limit{{FieldForm::kOffset24, 0}, 0, 0xFFFFFFll},
           Limit{{FieldForm::kFileOffset32, 0, 1}, 0, 0xFFFFFFFFll},
           Limit{{FieldForm::kFileOffset32, 0, 4}, 0, 4 * 0xFFFFFFFFll},
           Limit{{FieldForm::kArm32Branch, 0}, 8 - 0x2000000ll, 8 + 0x1FFFFFCll},
           Limit{{FieldForm::kPrel31, 0}, -0x40000000ll, 0x3FFFFFFFll},
           Limit{{FieldForm::kUleb21, 0}, 0, 0x1FFFFFll},
           Limit{{FieldForm::kUleb28, 0}, 0, 0xFFFFFFFll},
           Limit{{FieldForm::kFileUleb21, 0, 1}, 0, 0x1FFFFFll},
           Limit{{FieldForm::kFileUleb28, 0, 1}, 0, 0xFFFFFFFll},
           Limit{{FieldForm::kThumbBranch, 0}, 4 - 0x1000000ll, 4 + 0xFFFFFEll},
           Limit{{FieldForm::kThumbBranch, 0, exe::kToArm}, 4 - 0x1000000ll, 4 + 0xFFFFFCll},
           Limit{{FieldForm::kThumbCondition, 0}, 4 - 0x100000ll, 4 + 0xFFFFEll},
           Limit{{FieldForm::kFileOffset24, 0, 16}, 0, 16 * 0xFFFFFFll},
       }) {
    const FieldOrigin place{kOwn, kOwn, true};
    const Field field = field_of(limit.form);
    std::array<std::uint8_t, 8> bytes{};
    const auto fits = [&](std::int64_t delta) {
      return exe::write_field(bytes.data(), field, place, kOwn + static_cast<std::uint64_t>(delta));
    };
    EXPECT_TRUE(fits(limit.lowest)) << static_cast<int>(field.form);
    EXPECT_TRUE(fits(limit.highest)) << static_cast<int>(field.form);
    const std::int64_t unit = limit.form.form == FieldForm::kFileOffset24 ? 16 : 4;
    EXPECT_FALSE(fits(limit.lowest - unit)) << static_cast<int>(field.form);
    EXPECT_FALSE(fits(limit.highest + unit)) << static_cast<int>(field.form);
  }
}

TEST(FieldCodec, BetweenTwoUnits) {
  std::array<std::uint8_t, 4> bytes{};
  EXPECT_FALSE(exe::write_field(bytes.data(), field_of({FieldForm::kArmBranch26, 0}), {kOwn, 0, true}, kOwn + 2));
  EXPECT_FALSE(exe::write_field(bytes.data(), field_of({FieldForm::kArmLow12Scaled, 0, 3}), {kOwn, 0, true}, kOwn + 4));
  EXPECT_TRUE(exe::write_field(bytes.data(), field_of({FieldForm::kArmLow12Scaled, 0, 3}), {kOwn, 0, true}, kOwn + 8));
  EXPECT_FALSE(exe::write_field(bytes.data(), field_of({FieldForm::kFileOffset32, 0, 24}), {0, kOwn, true}, kOwn + 47));
  EXPECT_TRUE(exe::write_field(bytes.data(), field_of({FieldForm::kFileOffset32, 0, 24}), {0, kOwn, true}, kOwn + 48));
  EXPECT_EQ(2, bytes[0]);
  EXPECT_FALSE(exe::write_field(bytes.data(), field_of({FieldForm::kFileOffset32, 0, 0}), {0, kOwn, true}, kOwn + 48));
}

TEST(FieldCodec, AddressesOf32Bits) {
  Bytes bytes(4);
  Field field = field_of({FieldForm::kRel32, 0});
  const FieldOrigin place{0x10, 0, false};
  ASSERT_TRUE(exe::write_field(bytes.data(), field, place, 0xFFFFFFF0));
  EXPECT_EQ(0xFFFFFFDCu, value_of(bytes));
  ASSERT_TRUE(exe::read_field(bytes, place, field));
  EXPECT_EQ(0xFFFFFFF0u, field.target_address);
  EXPECT_FALSE(exe::write_field(bytes.data(), field, place, 0x1'0000'0000));
}

// Seven bits a byte, the lowest first; the high bits say that more follows, and stay.
TEST(FieldCodec, NumbersOfSevenBits) {
  Bytes bytes = {0x80, 0x80, 0x00};
  Field field = field_of({FieldForm::kUleb21, 0});
  ASSERT_TRUE(exe::write_field(bytes.data(), field, {0, kOwn, true}, kOwn + 0x012345));
  EXPECT_EQ(Bytes({0xC5, 0xC6, 0x04}), bytes);
  ASSERT_TRUE(exe::read_field(bytes, {0, kOwn, true}, field));
  EXPECT_EQ(kOwn + 0x012345, field.target_address);
}

// What leads into the file is no address, and so not bounded by those of 32 bits.
TEST(FieldCodec, PositionsInProgramsOf32Bits) {
  Bytes bytes(4);
  Field field = field_of({FieldForm::kFileOffset32, 0, 8});
  const FieldOrigin place{0x10, exe::kFileSpace + 0x1'0000'0000, false};
  ASSERT_TRUE(exe::write_field(bytes.data(), field, place, place.base_address + 24));
  EXPECT_EQ(3u, value_of(bytes));
  ASSERT_TRUE(exe::read_field(bytes, place, field));
  EXPECT_EQ(place.base_address + 24, field.target_address);
}

TEST(FieldCodec, BytesOutsideTheFileAreNotRead) {
  const Bytes file(16, 0x11);
  for (const FormCase& c : kForms) {
    Field field = field_of(c);
    field.target_address = 5;
    for (const std::uint64_t pos : {std::uint64_t{17} - field_bytes(c.form), std::uint64_t{16}, ~std::uint64_t{0}}) {
      field.pos = pos;
      EXPECT_FALSE(exe::read_field(file, {}, field));
      EXPECT_EQ(5u, field.target_address);
    }
  }
}

TEST(FieldCodec, MaskingKeepsOtherBits) {
  for (const FormCase& c : kForms) {
    const Bytes before = random_bytes(field_bytes(c.form), 3);
    Bytes ones = before;
    Bytes zeros = before;
    exe::mask_field(ones.data(), field_of(c), ~std::uint64_t{0});
    exe::mask_field(zeros.data(), field_of(c), 0);
    EXPECT_EQ(value_of(before) | c.own_bits, value_of(ones)) << static_cast<int>(c.form);
    // Two bits of Thumb's numbers are turned round where the sign is not set.
    const std::uint64_t turned = c.form == FieldForm::kThumbBranch ? 0x28000000 : 0;
    EXPECT_EQ((value_of(before) & ~c.own_bits) | turned, value_of(zeros)) << static_cast<int>(c.form);
  }
}

TEST(FieldCodec, FormsThatAreNone) {
  const Bytes file(16);
  Field unknown;
  unknown.form = static_cast<FieldForm>(200);
  Field chained = field_of({FieldForm::kMachChained, 0, 0});
  Field wide = field_of({FieldForm::kMachChained, 0, 65});
  Field scaled = field_of({FieldForm::kArmLow12Scaled, 0, 5});
  std::array<std::uint8_t, 8> bytes{};
  for (Field* field : {&unknown, &chained, &wide, &scaled}) {
    EXPECT_FALSE(exe::read_field(file, {}, *field));
    EXPECT_FALSE(exe::write_field(bytes.data(), *field, {}, 0));
    exe::mask_field(bytes.data(), *field, ~std::uint64_t{0});
    EXPECT_EQ((std::array<std::uint8_t, 8>{}), bytes);
  }
}

}  // namespace
}  // namespace bdelta::test::exe_field_codec_test
