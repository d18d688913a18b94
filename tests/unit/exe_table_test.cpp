// find_table_fields: the fields of small programs exactly; of damaged ones nothing outside of them.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>

#include "base/checked.hpp"
#include "exe/field_codec.hpp"
#include "exe/images.hpp"
#include "exe/jump_tables.hpp"
#include "exe/layout.hpp"
#include "exe/table_fields.hpp"
#include "support/exe_craft.hpp"
#include "support/fixed_program.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"

namespace bdelta::exe {
namespace {

using namespace bdelta::test;
using Form = FieldForm;
using Kind = FieldKind;

struct Seen {
  std::uint64_t pos;
  Form form;
  Kind kind;
  std::uint64_t target;
  std::uint64_t base_pos = 0;  // of forms that have one
  bool operator==(const Seen&) const = default;
};

void PrintTo(const Seen& seen, std::ostream* out) {
  *out << std::hex << "{pos " << seen.pos << ", form " << static_cast<int>(seen.form) << ", kind "
       << static_cast<int>(seen.kind) << ", target " << seen.target << ", base " << seen.base_pos << "}" << std::dec;
}

bool has_base(Form form) {
  return form == Form::kOffset32 || form == Form::kOffset24 || form == Form::kSize32 || form == Form::kSize64 ||
         form == Form::kFileOffset32;
}

std::uint64_t base_pos(const Field& field) {
  return field.pos - static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(field.base_delta)));
}

std::vector<Seen> fields_of(const Bytes& file) {
  std::vector<Field> fields;
  for (const Image& image : find_images(file)) find_table_fields(file, image, fields);
  std::vector<Seen> seen;
  for (const Field& field : fields) {
    const std::uint64_t base = has_base(field.form) ? base_pos(field) : 0;
    seen.push_back({field.pos, field.form, field.kind, field.target_address, base});
  }
  return seen;
}

// What is promised of any file; false tells which promise was broken.
::testing::AssertionResult keeps_promises(ByteSpan file) {
  std::uint64_t images_end = 0;
  for (const Image& image : find_images(file)) {
    if (image.file_pos < images_end || !range_fits(image.file_pos, image.size_bytes, file.size())) {
      return ::testing::AssertionFailure() << "image at " << image.file_pos;
    }
    images_end = image.file_pos + image.size_bytes;
    const ImageLayout layout(image);
    std::vector<Field> fields;
    find_table_fields(file, image, fields);
    std::uint64_t end = image.file_pos;
    for (const Field& field : fields) {
      if (field.pos < end) return ::testing::AssertionFailure() << "overlap at " << field.pos;
      end = field.pos + field_bytes(field.form);
      if (end > images_end) return ::testing::AssertionFailure() << "outside of the image at " << field.pos;
      if (field.form == Form::kFileOffset32) {
        if (field.target_address - kFileSpace - image.file_pos < image.size_bytes) continue;
        return ::testing::AssertionFailure() << "leads out of the image at " << field.pos;
      }
      FieldPlace place{0, image.base_address, image.bits64};
      if (!layout.address_of(field.pos, place.own_address)) place.own_address = 0;
      if (has_base(field.form) && !layout.address_of(base_pos(field), place.base_address)) {
        return ::testing::AssertionFailure() << "base without address at " << field.pos;
      }
      Field again = field;
      again.target_address = 0;
      if (!read_field(file, place, again) || again.target_address != field.target_address ||
          !layout.is_place(field.target_address)) {
        return ::testing::AssertionFailure() << "wrong address at " << field.pos;
      }
    }
  }
  return ::testing::AssertionSuccess();
}

TEST(TableFields, Elf) {
  constexpr std::uint64_t kFde = kElfFrames + 20;
  const auto at = [](std::uint64_t pos) { return kElfBase + pos; };
  const std::vector<Seen> expected = {
      {24, Form::kAbs64, Kind::kLoadCommand, at(kElfText)},
      {kElfRela, Form::kAbs64, Kind::kRelocationPlace, at(kElfData)},
      {kElfRela + 16, Form::kAbs64, Kind::kRelocationAddend, at(kElfText + 0x10)},
      {kElfRela + 24, Form::kAbs64, Kind::kRelocationPlace, at(kElfData + 8)},
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
      {kElf32Rel, Form::kAbs32, Kind::kRelocationPlace, at(kElf32Data)},
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

TEST(TableFields, Pe) {
  constexpr std::uint64_t kOptional = 0x58, kDirectories = kOptional + 112, kSections = kOptional + 240;
  const auto at = [](std::uint64_t rva) { return kPeBase + rva; };
  const auto rdata = [](std::uint64_t rva) { return rva - 0x2000 + 0x300; };
  std::vector<Seen> expected = {{kOptional + 16, Form::kRva32, Kind::kLoadCommand, at(0x1000)}};
  const auto add_directory = [&](std::uint64_t index, std::uint64_t rva, std::uint64_t size) {
    const std::uint64_t pos = kDirectories + 8 * index;
    expected.push_back({pos, Form::kRva32, Kind::kLoadCommand, at(rva)});
    expected.push_back({pos + 4, Form::kSize32, Kind::kLoadCommand, at(rva + size), rdata(rva)});
  };
  add_directory(0, 0x2060, 40);
  add_directory(1, 0x20b0, 40);
  add_directory(3, 0x2000, 12);
  add_directory(5, 0x2040, 12);
  for (std::uint64_t i = 0; i < 3; ++i) {
    expected.push_back({kSections + 40 * i + 12, Form::kRva32, Kind::kLoadCommand, at(0x1000 * (i + 1))});
  }
  const auto add = [&](std::uint64_t rva, Kind kind, std::uint64_t target) {
    expected.push_back({rdata(rva), Form::kRva32, kind, at(target)});
  };
  add(0x2000, Kind::kPdata, 0x1000);
  add(0x2004, Kind::kPdata, 0x1040);
  add(0x2008, Kind::kPdata, 0x2010);
  add(0x2014, Kind::kExceptionTable, 0x1080);
  add(0x201c, Kind::kExceptionTable, 0x1000);
  add(0x2020, Kind::kExceptionTable, 0x1010);
  add(0x2028, Kind::kExceptionTable, 0x1020);
  add(0x2040, Kind::kRelocationPlace, 0x3000);
  add(0x206c, Kind::kImportExport, 0x20a0);
  add(0x207c, Kind::kImportExport, 0x2090);
  add(0x2080, Kind::kImportExport, 0x2094);
  add(0x2084, Kind::kImportExport, 0x2098);
  add(0x2090, Kind::kImportExport, 0x1020);
  add(0x2094, Kind::kImportExport, 0x20a4);
  add(0x20b0, Kind::kImportExport, 0x20d8);
  add(0x20bc, Kind::kImportExport, 0x20f0);
  add(0x20c0, Kind::kImportExport, 0x20e8);
  add(0x20d8, Kind::kImportExport, 0x20f8);
  expected.push_back({0x500, Form::kAbs64, Kind::kPointer, at(0x1010)});
  EXPECT_EQ(expected, fields_of(craft_pe()));
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

TEST(PeFields, TablesEndWithTheirImage) {
  // A block of relocations that is as long as the file; behind the image it would find entries of other bytes.
  constexpr std::size_t kDirectories = 0x40 + 24 + 112, kBlock = 0x340;
  Bytes file = craft_pe();
  const std::size_t image_bytes = find_images(file).at(0).size_bytes;
  for (int i = 0; i < 200; ++i) append_le(file, std::uint16_t{0xa008});  // a 64-bit pointer at byte 8 of the page
  store_le(file.data() + 0x508, kPeBase + 0x1020);
  store_le(file.data() + kDirectories + 8 * 5 + 4, std::uint32_t{0xffff});
  store_le(file.data() + kBlock + 4, static_cast<std::uint32_t>(file.size() - kBlock));
  const Bytes alone(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(image_bytes));
  EXPECT_EQ(fields_of(alone), fields_of(file));
}

TEST(TableFields, Macho) {
  constexpr std::uint64_t kDataAddress = kMachoBase + 0x4000 + kMachoData;
  constexpr std::uint64_t kIndex = kMachoUnwind + 32;
  const auto at = [](std::uint64_t pos) { return kMachoBase + pos; };
  const std::vector<Seen> expected = {
      {0x228 - 32, Form::kRva32, Kind::kLoadCommand, at(kMachoCode + 8)},
      {kMachoUnwind + 28, Form::kRva32, Kind::kExceptionTable, kDataAddress},
      {kIndex, Form::kRva32, Kind::kUnwindHeader, at(kMachoCode)},
      {kIndex + 4, Form::kOffset32, Kind::kUnwindEntry, at(kMachoUnwind + 64), kMachoUnwind},
      {kIndex + 8, Form::kOffset32, Kind::kUnwindEntry, at(kMachoUnwind + 56), kMachoUnwind},
      {kIndex + 12, Form::kRva32, Kind::kUnwindHeader, at(kMachoCode + 0x100)},
      {kIndex + 20, Form::kOffset32, Kind::kUnwindEntry, at(kMachoUnwind + 64), kMachoUnwind},
      {kMachoUnwind + 56, Form::kRva32, Kind::kUnwindStart, at(kMachoCode)},
      {kMachoUnwind + 60, Form::kRva32, Kind::kExceptionTable, at(kMachoUnwind + 0x80)},
      {kMachoUnwind + 76, Form::kOffset24, Kind::kFunctionStart, at(kMachoCode), kMachoCode},
      {kMachoUnwind + 80, Form::kOffset24, Kind::kFunctionStart, at(kMachoCode + 0x20), kMachoCode},
      {kMachoData, Form::kMachChained, Kind::kPointer, at(kMachoCode + 0x10)},
      {kMachoSymbols, Form::kFileOffset32, Kind::kSymbolName, kFileSpace + kMachoNames + 5, kMachoNames},
      {kMachoSymbols + 8, Form::kAbs64, Kind::kSymbolValue, at(kMachoCode + 0x20)},
      {kMachoIndirect, Form::kFileOffset32, Kind::kSymbolIndex, kFileSpace + kMachoSymbols + 16, kMachoSymbols},
  };
  EXPECT_EQ(expected, fields_of(craft_macho()));
}

TEST(TableFields, MachoRebases) {
  Bytes file = craft_macho();
  store_le(file.data() + 0x218, std::uint32_t{0x80000022});  // the command of chained fixups becomes one of opcodes
  // Segment 1 at 8; one; 16 further; two with 8 between; end
  const Bytes opcodes = {0x11, 0x21, 8, 0x51, 0x30, 16, 0x80, 2, 8, 0x00};
  std::copy(opcodes.begin(), opcodes.end(), file.begin() + kMachoFixups);
  for (std::size_t i = 0; i < 10; ++i) store_le(file.data() + kMachoData + 8 * i, kMachoBase + kMachoCode + i);
  std::vector<std::uint64_t> places;
  for (const Seen& seen : fields_of(file)) {
    if (seen.kind == Kind::kPointer) places.push_back(seen.pos - kMachoData);
  }
  EXPECT_EQ(std::vector<std::uint64_t>({8, 32, 48}), places);
}

TEST(TableFields, Go) {
  const auto at = [](std::uint64_t pos) { return kElfBase + pos; };
  std::vector<Seen> expected;
  const auto add = [&](std::uint64_t pos, Kind kind, std::uint64_t base, std::uint64_t offset) {
    expected.push_back({pos, Form::kOffset32, kind, at(base + offset), base});
  };
  add(kGoUnits, Kind::kGoTable, kGoFiles, 2);
  add(kGoFunctions, Kind::kFunctionStart, kGoText, 0x10);
  add(kGoFunctions + 4, Kind::kGoTable, kGoFunctions, kGoRecord - kGoFunctions);
  add(kGoFunctions + 8, Kind::kFunctionStart, kGoText, 0x40);
  add(kGoRecord, Kind::kFunctionStart, kGoText, 0x10);
  add(kGoRecord + 4, Kind::kGoTable, kGoNames, 3);
  add(kGoRecord + 16, Kind::kGoTable, kGoPrograms, 5);
  add(kGoRecord + 20, Kind::kGoTable, kGoPrograms, 6);
  add(kGoRecord + 44, Kind::kGoTable, kGoPrograms, 9);
  add(kGoRecord + 48, Kind::kGoTable, kGoCollectorData, 0x18);
  const std::uint64_t parts[] = {kGoNames, kGoUnits, kGoFiles, kGoPrograms, kGoFunctions};
  for (const std::uint64_t i : {0u, 2u, 3u, 4u}) {  // the length of the units is not in bytes
    expected.push_back({kGoModule + 16 + 24 * i, Form::kSize64, Kind::kGoTable, at(parts[i] + 4), parts[i]});
  }
  std::vector<Seen> found = fields_of(craft_go());
  std::erase_if(found, [](const Seen& seen) { return seen.kind == Kind::kLoadCommand; });
  EXPECT_EQ(expected, found);
}

TEST(TableFields, Toy) {
  const Bytes file = craft_toy();
  EXPECT_EQ(std::vector<Seen>({{file.size() - 16, Form::kAbs64, Kind::kPointer, 0x1008}}), fields_of(file));
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
  std::vector<Field> fields;
  find_jump_tables(file, images.at(0), {&lea, 1}, fields);
  ASSERT_EQ(2u, fields.size());
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(table + 4 * i, fields[i].pos);
    EXPECT_EQ(kElfBase + kElfText + 0x20 + 8 * i, fields[i].target_address);
    EXPECT_EQ(table, base_pos(fields[i]));
    EXPECT_EQ(Kind::kJumpTable, fields[i].kind);
  }
  // Another table at the second entry leaves the first one with one entry, which is none.
  const Field more[] = {lea, {kElfText + 3, kElfBase + table + 4, 0, Form::kRel32, Kind::kDataReference, 0, 0}};
  fields.clear();
  find_jump_tables(file, images.at(0), more, fields);
  EXPECT_TRUE(fields.empty());
  file[kElfText + 1] = 0x8b;  // MOV reads what is there
  find_jump_tables(file, images.at(0), {&lea, 1}, fields);
  EXPECT_TRUE(fields.empty());
}

std::vector<Bytes> crafted() {
  return {craft_elf(), craft_elf_without_sections(), craft_elf32(), craft_go(), craft_pe(), craft_macho(), craft_toy(),
          fixed_program({1, 2, 3}).bytes};
}

TEST(TableFieldsOfDamaged, TruncatedAnywhere) {
  for (const Bytes& file : crafted()) {
    for (std::size_t size = 0; size <= file.size(); ++size) {
      const Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));  // its end is that of the memory
      ASSERT_TRUE(keeps_promises(cut)) << size;
    }
  }
}

TEST(TableFieldsOfDamaged, EveryByteChanged) {
  for (const Bytes& whole : crafted()) {
    Bytes file = whole;
    for (std::size_t pos = 0; pos < file.size(); ++pos) {
      const std::uint8_t before = file[pos];
      for (const unsigned value : {0u, 1u, 0x7fu, 0x80u, 0xffu, before + 1u}) {
        file[pos] = static_cast<std::uint8_t>(value);
        ASSERT_TRUE(keeps_promises(file)) << pos << " to " << value;
      }
      file[pos] = before;
    }
  }
}

TEST(TableFieldsOfDamaged, ManyNumbersChanged) {
  constexpr std::uint64_t kNumbers[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, ~std::uint64_t{0},
                                        std::uint64_t{1} << 63};
  Random random(11);
  for (const Bytes& whole : crafted()) {
    for (int round = 0; round < 3000; ++round) {
      Bytes file = whole;
      for (std::uint64_t i = random.between(1, 12); i > 0; --i) {
        const std::size_t pos = static_cast<std::size_t>(random.below(file.size() - 8)) & ~std::size_t{3};
        const std::uint64_t number = random.below(2) == 0 ? kNumbers[random.below(7)] : random.below(file.size() * 2);
        random.below(2) == 0 ? store_le(file.data() + pos, number)
                             : store_le(file.data() + pos, static_cast<std::uint32_t>(number));
      }
      ASSERT_TRUE(keeps_promises(file)) << round;
    }
  }
}

TEST(TableFieldsOfDamaged, RandomBehindTheMagic) {
  for (const Bytes& whole : crafted()) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
      Bytes file = random_bytes(600, seed);
      const std::size_t kept = seed % 80;
      std::copy(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(kept), file.begin());
      ASSERT_TRUE(keeps_promises(file)) << seed;
    }
  }
}

// Real programs of the directory BDELTA_CORPUS, those below 64 MiB.
TEST(TableFields, OfRealPrograms) {
  const char* corpus = std::getenv("BDELTA_CORPUS");
  if (corpus == nullptr) GTEST_SKIP() << "BDELTA_CORPUS is not set";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus)) {
    if (!entry.is_regular_file() || entry.file_size() > (std::uint64_t{64} << 20)) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const Bytes file((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    EXPECT_TRUE(keeps_promises(file)) << entry.path();
  }
}

}  // namespace
}  // namespace bdelta::exe
