// The fields of small PE, Mach-O and toy programs exactly. Those of ELF have a file of their own.
#include <algorithm>

#include "support/exe_craft.hpp"
#include "support/expect.hpp"
#include "unit/exe_seen_fields.hpp"

namespace bdelta::exe::exe_table_test {
namespace {

using namespace bdelta::test;
using Form = FieldForm;
using Kind = FieldKind;

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
  add(0x2040, Kind::kRelocationOffset, 0x3000);
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

TEST(TableFields, Toy) {
  const Bytes file = craft_toy();
  EXPECT_EQ(std::vector<Seen>({{file.size() - 16, Form::kAbs64, Kind::kPointer, 0x1008}}), fields_of(file));
}

}  // namespace
}  // namespace bdelta::exe::exe_table_test
