// The fields of Go's tables exactly, in both widths, and of the exports and the rebases of Mach-O.
#include <algorithm>

#include "support/exe_craft_more.hpp"
#include "support/expect.hpp"
#include "support/rebased_program.hpp"
#include "unit/exe_seen_fields.hpp"

namespace bdelta::exe::exe_go_test {
namespace {

using namespace bdelta::test;
using Form = FieldForm;
using Kind = FieldKind;

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

class GoProgram : public ::testing::TestWithParam<bool> {
 protected:
  // The fields that are neither Go's nor those of functions' starts are those of ELF.
  static std::vector<Seen> go_fields(const Bytes& file) {
    std::vector<Seen> found = fields_of(file);
    std::erase_if(found, [](const Seen& seen) { return seen.kind != Kind::kGoTable && seen.kind != Kind::kFunctionStart; });
    return found;
  }

  void add(std::uint64_t pos, std::uint64_t base, std::uint64_t offset, Kind kind = Kind::kGoTable) {
    expected_.push_back({pos, Form::kOffset32, kind, kElfBase + base + offset, base});
  }
  void add_entry(std::uint64_t pos, std::uint64_t table, std::uint64_t offset) {
    expected_.push_back({pos, Form::kFileOffset32, Kind::kGoTable, kFileSpace + table + offset, table});
  }

  const bool wide_ = GetParam();
  const std::size_t word_bytes_ = wide_ ? 8 : 4;
  std::vector<Seen> expected_;
};

TEST_P(GoProgram, EveryField) {
  add(kGo2Functions, kGo2Text, 0x10, Kind::kFunctionStart);
  add(kGo2Functions + 4, kGo2Functions, kGo2Record - kGo2Functions);
  add(kGo2Functions + 8, kGo2Text, 0x40, Kind::kFunctionStart);
  add(kGo2Record, kGo2Text, 0x10, Kind::kFunctionStart);
  add(kGo2Record + 4, kGo2Names, 3);
  add_entry(kGo2Record + 32, kGo2Units, 2 * 4);
  add(kGo2Record + 52, kGo2Programs, 0x10);
  add(kGo2Record + 64, kGo2CollectorData, kGo2Objects - kGo2CollectorData);
  add(kGo2Record + 68, kGo2CollectorData, kGo2Calls - kGo2CollectorData);
  add(kGo2Objects + word_bytes_ + 12, kGo2ReadOnly, 0x40);
  add(kGo2Calls + 4, kGo2Names, 5);
  add(kGo2Calls + 8, kGo2Text + 0x10, 0x11);
  add(kGo2Calls + 20, kGo2Names, 9);
  add(kGo2Calls + 24, kGo2Text + 0x10, 0x12);
  const std::size_t struct_name = kGo2Struct + 4 * word_bytes_ + 8;
  add(struct_name, kGo2Types, 8);
  add(struct_name + 4, kGo2Types, kGo2Interface - kGo2Types);
  const std::size_t uncommon = struct_name + 8 + 4 * word_bytes_;
  add(uncommon, kGo2Types, 8);
  add(uncommon + 16, kGo2Types, 8);
  add(uncommon + 20, kGo2Types, kGo2Interface - kGo2Types);
  add(uncommon + 24, kGo2Text, 0x20);
  add(kGo2Interface + 4 * word_bytes_ + 8, kGo2Types, 8);
  add(kGo2Methods, kGo2Types, 8);
  add(kGo2Methods + 4, kGo2Types, kGo2Struct - kGo2Types);
  EXPECT_EQ(expected_, go_fields(craft_go_program(wide_)));
}

// The number of the lookup table's entry leads to an entry of the functions; the first one is none.
TEST_P(GoProgram, Lookups) {
  Bytes file = craft_go_program(wide_);
  store_le(file.data() + kGo2Lookup, std::uint32_t{1});
  const auto is_lookup = [](const Seen& seen) { return seen.pos == kGo2Lookup; };
  const std::vector<Seen> one = go_fields(file);
  EXPECT_EQ(0, std::count_if(one.begin(), one.end(), is_lookup)) << "there is one function only";
}

TEST_P(GoProgram, WhatIsNoType) {
  const std::size_t flags = kGo2Struct + 2 * word_bytes_ + 4;
  const std::size_t whole_count = go_fields(craft_go_program(wide_)).size();
  struct Damage {
    std::size_t pos;
    std::uint8_t value;
  };
  for (const Damage damage : {Damage{flags, 64}, Damage{flags + 1, 4}, Damage{flags + 2, 3}, Damage{flags + 3, 0},
                              Damage{flags + 3, 27}, Damage{kGo2Struct + word_bytes_, 17}, Damage{kGo2Struct, 15},
                              Damage{flags + 4, 1}, Damage{flags + 4 + word_bytes_, 1},
                              Damage{kGo2Struct + 4 * word_bytes_ + 8, 0}, Damage{kGo2Struct + 4 * word_bytes_ + 10, 1}}) {
    Bytes file = craft_go_program(wide_);
    file[damage.pos] = damage.value;
    EXPECT_EQ(whole_count - 6, go_fields(file).size()) << damage.pos;  // two of the head, four of the method
  }
}

// Moduledata of Go 1.27 tells the same at other places.
TEST_P(GoProgram, Of127HasTheSameFields) {
  EXPECT_EQ(go_fields(craft_go_program(wide_)), go_fields(craft_go_program(wide_, GoVersion::k127)));
}

// Words 38, 46 and 47: listed types, and a slice where older ones have two.
TEST_P(GoProgram, WhatIsNotOf127) {
  const Bytes whole = craft_go_program(wide_, GoVersion::k127);
  for (const std::size_t word : {38u, 46u, 47u}) {
    Bytes file = whole;
    const std::size_t pos = kGo2Module + word * word_bytes_;
    file[pos + 1] = 1;  // 256 more
    EXPECT_GT(go_fields(whole).size(), go_fields(file).size()) << word;
  }
}

INSTANTIATE_TEST_SUITE_P(Widths, GoProgram, ::testing::Bool());

TEST(MachoExports, AddressesAndPlacesOfNodes) {
  const auto node = [](std::size_t offset) { return kFileSpace + kMachoTrie + offset; };
  const std::vector<Seen> expected = {
      {kMachoTrie + 4, Form::kFileUleb21, Kind::kImportExport, node(kMachoTrieA), kMachoTrie},
      {kMachoTrie + 9, Form::kFileUleb28, Kind::kImportExport, node(kMachoTrieB), kMachoTrie},
      {kMachoTrie + kMachoTrieA + 2, Form::kUleb28, Kind::kImportExport, kMachoBase + kMachoCode},
      {kMachoTrie + kMachoTrieB + 2, Form::kUleb21, Kind::kImportExport, kMachoBase + kMachoCode + 8},
  };
  std::vector<Seen> found = fields_of(craft_macho_exports());
  std::erase_if(found, [](const Seen& seen) { return seen.kind != Kind::kImportExport; });
  EXPECT_EQ(expected, found);
}

// A node that is its own child, and one whose names never end, cost no more than the image may.
TEST(MachoExports, ATrieThatTurnsInCirclesEnds) {
  Bytes file = craft_macho_exports();
  const Bytes circle = {0, 2, 'a', 0, 0x81, 0x80, 0, 'b', 0, 1};
  std::copy(circle.begin(), circle.end(), file.begin() + kMachoTrie);
  EXPECT_LT(fields_of(file).size(), file.size());
}

TEST(MachoRebases, ToldOneByOneLeadToTheirPointers) {
  const RebasedProgram program = rebased_program({1, 2, 3});
  std::vector<Seen> expected;
  for (std::size_t i = 0; i < 3; ++i) {
    expected.push_back({program.opcodes_pos + 2 + 5 * i, Form::kFileUleb21, Kind::kRelocationOffset,
                        kFileSpace + program.pointers_pos + 8 * i, program.data_pos});
  }
  std::vector<Seen> found = fields_of(program.bytes);
  std::erase_if(found, [](const Seen& seen) { return seen.kind != Kind::kRelocationOffset; });
  EXPECT_EQ(expected, found);
}

}  // namespace
}  // namespace bdelta::exe::exe_go_test
