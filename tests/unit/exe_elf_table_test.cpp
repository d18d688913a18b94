// The fields of small ELF programs exactly: what loader and unwinder read, and tables that jumps go through.
#include <algorithm>

#include "exe/jump_tables.hpp"
#include "support/exe_craft.hpp"
#include "support/expect.hpp"
#include "unit/exe_seen_fields.hpp"

namespace bdelta::exe::exe_elf_table_test {
namespace {

using namespace bdelta::test;
using Form = FieldForm;
using Kind = FieldKind;

TEST(TableFields, Elf) {
  constexpr std::uint64_t kFde = kElfFrames + 20;
  const auto at = [](std::uint64_t pos) { return kElfBase + pos; };
  const std::vector<Seen> expected = {
      {24, Form::kAbs64, Kind::kLoadCommand, at(kElfText)},
      {kElfRela, Form::kAbs64, Kind::kRelocationOffset, at(kElfData)},
      {kElfRela + 16, Form::kAbs64, Kind::kRelocationAddend, at(kElfText + 0x10)},
      {kElfRela + 24, Form::kAbs64, Kind::kRelocationOffset, at(kElfData + 8)},
      {kElfRela + 40, Form::kAbs64, Kind::kRelocationAddend, kElfBss},
      {kElfDynamic + 8, Form::kAbs64, Kind::kDynamic, at(kElfRela)},
      {kElfDynamic + 24, Form::kSize64, Kind::kDynamic, at(kElfRela + 48), kElfRela},
      {kElfFrameHeader + 4, Form::kOffset32, Kind::kUnwindHeader, at(kElfFrames), kElfFrameHeader + 4},
      {kElfFrameHeader + 12, Form::kOffset32, Kind::kUnwindHeader, at(kElfText), kElfFrameHeader},
      {kElfFrameHeader + 16, Form::kOffset32, Kind::kUnwindHeader, at(kFde), kElfFrameHeader},
      {kFde + 4, Form::kBack32, Kind::kUnwindEntry, at(kElfFrames)},
      {kFde + 8, Form::kOffset32, Kind::kUnwindStart, at(kElfText), kFde + 8},
      {kFde + 12, Form::kSize32, Kind::kUnwindSize, at(kElfText + 0x20), kElfText},
      {kFde + 17, Form::kOffset32, Kind::kExceptionTable, at(kElfExceptions), kFde + 17},
      {kElfExceptions + 11, Form::kOffset32, Kind::kExceptionTable, at(kElfData + 8), kElfExceptions + 11},
      {kElfData, Form::kAbs64, Kind::kPointer, at(kElfText + 0x10)},
      {kElfSymbols + 32, Form::kAbs64, Kind::kSymbolValue, at(kElfText)},
      {kElfSymbols + 40, Form::kSize64, Kind::kSymbolSize, at(kElfText + 0x20), kElfText},
  };
  EXPECT_EQ(expected, fields_of(craft_elf()));
}

// LLVM writes them so for arm64. The field is the half that can change.
TEST(TableFields, UnwindPointersOfEightBytes) {
  constexpr std::uint64_t kFde = kElfFrames + 20;
  Bytes file = craft_elf();
  file[kElfFrames + 17] = 0x1c;
  store_le(file.data() + kFde, std::uint32_t{24});
  file[kFde + 16] = 8;
  store_le(file.data() + kFde + 17, kElfExceptions - (kFde + 17));
  constexpr std::size_t kSectionHeader = 0x480 + 64 * 6;
  store_le(file.data() + kSectionHeader + 32, std::uint64_t{19});  // the type takes four bytes more
  file[kElfExceptions + 1] = 0x9c;
  file[kElfExceptions + 2] = 16;
  const std::uint64_t type = kElfExceptions + 11;
  store_le(file.data() + type, std::uint64_t{0} - 0x20);
  const Seen table{kFde + 17, Form::kOffset32, Kind::kExceptionTable, kElfBase + kElfExceptions, kFde + 17};
  const Seen type_of_it{type, Form::kOffset32, Kind::kExceptionTable, kElfBase + type - 0x20, type};
  const auto has = [](const std::vector<Seen>& seen, const Seen& one) {
    return std::count(seen.begin(), seen.end(), one);
  };
  const std::vector<Seen> found = fields_of(file);
  EXPECT_EQ(1, has(found, table));
  EXPECT_EQ(1, has(found, type_of_it));
  store_le(file.data() + kFde + 17 + 4, std::uint32_t{1});
  EXPECT_EQ(0, has(fields_of(file), table)) << "more than four bytes can say";
}

TEST(TableFields, ElfWithoutSections) {
  const std::vector<Seen> found = fields_of(craft_elf_without_sections());
  ASSERT_EQ(7u, found.size()) << "entry, two relocations, one addend that leads somewhere, address and size, a pointer";
  EXPECT_EQ((Seen{kElfData, Form::kAbs64, Kind::kPointer, kElfBase + kElfText + 0x10}), found.back());
}

TEST(TableFields, ElfOf32Bits) {
  const Bytes file = craft_elf32();
  const std::vector<Image> images = find_images(file);
  ASSERT_EQ(1u, images.size());
  EXPECT_EQ(Machine::kX86_32, images[0].machine);
  EXPECT_FALSE(images[0].bits64);
  const auto at = [](std::uint64_t pos) { return kElf32Base + pos; };
  const std::vector<Seen> expected = {
      {kElf32Dynamic + 4, Form::kAbs32, Kind::kDynamic, at(kElf32Rel)},
      {kElf32Dynamic + 12, Form::kSize32, Kind::kDynamic, at(kElf32Rel + 8), kElf32Rel},
      {kElf32Rel, Form::kAbs32, Kind::kRelocationOffset, at(kElf32Data)},
      {kElf32Data, Form::kAbs32, Kind::kPointer, at(0x10)},
  };
  EXPECT_EQ(expected, fields_of(file));
}

TEST(TableFields, ElfLoadedWhereItWasLinked) {
  Bytes file = craft_elf();
  file[16] = 2;
  store_le(file.data() + kElfData + 0x18, kElfBss + 8);
  store_le(file.data() + kElfData + 0x21, kElfBss + 8);  // not at an even place
  const std::vector<Seen> found = fields_of(file);
  const Seen pointer{kElfData + 0x18, Form::kAbs64, Kind::kPointer, kElfBss + 8};
  EXPECT_EQ(1, std::count(found.begin(), found.end(), pointer));
  EXPECT_EQ(2, std::count_if(found.begin(), found.end(), [](const Seen& seen) {
              return seen.kind == Kind::kPointer && seen.pos >= kElfData;
            }));
}

TEST(TableFields, ElfPackedRelocations) {
  Bytes file = craft_elf();
  store_le(file.data() + kElfDynamic, std::uint64_t{36});       // the same bytes as .relr
  store_le(file.data() + kElfDynamic + 16, std::uint64_t{35});
  store_le(file.data() + kElfRela, kElfBase + kElfData);        // a place
  store_le(file.data() + kElfRela + 8, std::uint64_t{0b1011});  // and the first and third word behind it
  std::fill(file.begin() + kElfRela + 16, file.begin() + kElfRela + 48, std::uint8_t{1});
  for (const std::size_t offset : {8u, 16u, 24u}) store_le(file.data() + kElfData + offset, kElfBss + offset);
  std::vector<std::uint64_t> places;
  for (const Seen& seen : fields_of(file)) {
    if (seen.kind == Kind::kPointer) places.push_back(seen.pos - kElfData);
  }
  EXPECT_EQ(std::vector<std::uint64_t>({0, 8, 24}), places);
}

TEST(ElfFields, PackedRelocationsThatMarkNothingCountToo) {
  // Four dynamic tables that share 32768 such words: more than an image of 264 KB can have, so what comes later is
  // left out.
  constexpr std::size_t kWords = 32768, kWordsPos = 0x800;
  constexpr std::uint64_t kWordsAddress = 0x100000;
  CraftedBytes craft;
  craft.put_bytes(0, craft_elf());
  for (std::size_t i = 0; i < kWords; ++i) craft.put64(kWordsPos + 8 * i, 1);
  const std::size_t data_section = 0x480 + 64 * 7;
  craft.put64(data_section + 16, kWordsAddress).put64(data_section + 24, kWordsPos);
  craft.put64(data_section + 32, 8 * kWords);
  craft.put64(kElfDynamic, 36).put64(kElfDynamic + 8, kWordsAddress);
  craft.put64(kElfDynamic + 16, 35).put64(kElfDynamic + 24, 8 * kWords).put64(kElfDynamic + 32, 0);
  const auto symbols_of = [](const Bytes& file) {
    const std::vector<Seen> fields = fields_of(file);
    return std::count_if(fields.begin(), fields.end(), [](const Seen& f) { return f.kind == Kind::kSymbolValue; });
  };
  Bytes file = craft.take();
  EXPECT_EQ(1, symbols_of(file));
  constexpr std::size_t kSegments = 64, kSegmentBytes = 56;
  const Bytes dynamic(file.begin() + kSegments + kSegmentBytes, file.begin() + kSegments + 2 * kSegmentBytes);
  for (std::size_t i = 3; i < 6; ++i) {
    const auto place = static_cast<std::ptrdiff_t>(kSegments + i * kSegmentBytes);
    std::copy(dynamic.begin(), dynamic.end(), file.begin() + place);
  }
  store_le(file.data() + 56, std::uint16_t{6});
  EXPECT_EQ(0, symbols_of(file));
}

TEST(JumpTables, EndWhereAnEntryLeadsElsewhere) {
  Bytes file = craft_elf();
  const std::size_t table = kElfData + 8;
  const auto put_entry = [&](std::size_t index, std::size_t to) {
    store_le(file.data() + table + 4 * index, static_cast<std::uint32_t>(to - table));
  };
  put_entry(0, kElfText + 0x20);
  put_entry(1, kElfText + 0x28);
  put_entry(2, kElfData);  // no code
  put_entry(3, kElfText + 0x30);
  put_entry(4, kElfText + 0x30);
  file[kElfText + 1] = 0x8d;  // LEA
  const Field lea{kElfText + 3, kElfBase + table, 0, Form::kRel32, Kind::kDataReference, 0, 0};
  const std::vector<Image> images = find_images(file);
  const auto entries = [&](std::span<const Field> fields) {
    FieldBlocks blocks(file, images, 0);
    std::vector<TableLoad> loads;
    for (const Field& field : fields) {
      TableLoad load;
      if (is_table_load(file, images.at(0), ImageLayout(images.at(0)), field, load)) loads.push_back(load);
    }
    keep_first_loads(loads);
    find_jump_tables(file, images.at(0), loads, blocks);
    std::vector<Field> found;
    FieldBlocks::Unpacked last;
    blocks.add_fields(0, file.size(), last, found);
    return found;
  };
  const std::vector<Field> fields = entries({&lea, 1});
  ASSERT_EQ(2u, fields.size());
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(table + 4 * i, fields[i].pos);
    EXPECT_EQ(kElfBase + kElfText + 0x20 + 8 * i, fields[i].target_address);
    EXPECT_EQ(table, base_pos(fields[i]));
    EXPECT_EQ(Kind::kJumpTable, fields[i].kind);
  }
  // Another table at the second entry leaves the first one with one entry, which is none.
  const Field more[] = {lea, {kElfText + 3, kElfBase + table + 4, 0, Form::kRel32, Kind::kDataReference, 0, 0}};
  EXPECT_TRUE(entries(more).empty());
  file[kElfText + 1] = 0x8b;  // MOV reads what is there
  EXPECT_TRUE(entries({&lea, 1}).empty());
}

}  // namespace
}  // namespace bdelta::exe::exe_elf_table_test
