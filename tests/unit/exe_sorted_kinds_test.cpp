// What each kind of sorted tables has for itself: when one is rebuilt, and what of it is written.
#include <numeric>

#include "support/exe_craft.hpp"
#include "unit/exe_rebuilt.hpp"

namespace bdelta::exe::exe_sorted_kinds_test {
namespace {

// Each rule of a block, broken in the one table of a small image.
TEST(BaseRelocations, AreOnlyRebuiltWhereTheyWouldBeWrittenSo) {
  const SortedProgram program = sorted_program({1, 2}, SortedShape::kPe64);
  const SortedTable table = program.tables[0];
  ASSERT_EQ(SortedTableKind::kBaseRelocations, table.kind);
  ASSERT_EQ(12u, table.size_bytes);
  const auto is_sorted_with = [&](std::size_t at, auto value) {
    Bytes bytes = program.bytes;
    store_le(bytes.data() + static_cast<std::size_t>(table.pos) + at, value);
    const std::vector<SortedTable> found = found_in(bytes);
    return std::find(found.begin(), found.end(), table) != found.end();
  };
  const auto page = load_le<std::uint32_t>(program.bytes.data() + table.pos);
  const auto first = load_le<std::uint16_t>(program.bytes.data() + table.pos + 8);
  EXPECT_TRUE(is_sorted_with(0, page));
  EXPECT_TRUE(is_sorted_with(0, page + 0x1000));
  EXPECT_FALSE(is_sorted_with(0, page + 1));
  for (const std::uint32_t block_bytes : {0u, 7u, 8u, 10u, 16u, 0xffffffffu}) {
    EXPECT_FALSE(is_sorted_with(4, block_bytes)) << block_bytes;
  }
  EXPECT_TRUE(is_sorted_with(10, first));                             // the same place twice
  EXPECT_TRUE(is_sorted_with(10, std::uint16_t{0}));                  // padding
  EXPECT_FALSE(is_sorted_with(8, std::uint16_t{0}));                  // before a place
  EXPECT_FALSE(is_sorted_with(10, static_cast<std::uint16_t>(first & 0xfff)));  // no type
  EXPECT_FALSE(is_sorted_with(10, static_cast<std::uint16_t>(first - 1)));
}

TEST(BaseRelocations, FillTheirRoomAndNoMore) {
  const std::vector<std::uint64_t> places{0x1000 * 16 + 3, 0x1008 * 16 + 3, 0x1010 * 16 + 10, 0x3004 * 16 + 3};
  const auto written = [&](std::size_t size) {
    Bytes table(size, 0xee);
    write_base_relocations(places, table);
    return table;
  };
  const Bytes all{0, 0x10, 0, 0, 16, 0, 0, 0, 0, 0x30, 8, 0x30, 0x10, 0xa0, 0, 0, 0, 0x30, 0, 0, 12, 0, 0, 0, 4, 0x30, 0, 0};
  EXPECT_EQ(all, written(28));
  Bytes cut(all.begin(), all.begin() + 16);
  cut.resize(24);
  EXPECT_EQ(cut, written(24));  // no room for a block with one place
  EXPECT_EQ((Bytes{0, 0x10, 0, 0, 12, 0, 0, 0, 0, 0x30, 8, 0x30}), written(12));
  EXPECT_EQ(Bytes(8), written(8));
  EXPECT_EQ(Bytes(), written(0));
}

// Each rule of function starts, broken in turn.
TEST(FunctionStarts, AreOnlyRebuiltWhereTheyWouldBeWrittenSo) {
  const SortedProgram program = sorted_program({1, 2}, SortedShape::kMachO64);
  const SortedTable table = program.tables[0];
  ASSERT_EQ(SortedTableKind::kFunctionStarts, table.kind);
  ASSERT_EQ(8u, table.size_bytes);
  const auto is_sorted_as = [&](Bytes starts) {
    starts.resize(8);
    Bytes bytes = program.bytes;
    std::copy(starts.begin(), starts.end(), bytes.begin() + static_cast<std::ptrdiff_t>(table.pos));
    const std::vector<SortedTable> found = found_in(bytes);
    return std::find(found.begin(), found.end(), table) != found.end();
  };
  EXPECT_TRUE(is_sorted_as({1}));
  EXPECT_TRUE(is_sorted_as({1, 1, 1, 1, 1, 1, 1, 1}));                        // no end but that of the room
  EXPECT_TRUE(is_sorted_as({0xff, 0xff, 0xff, 0xff, 0x0f}));                  // RVA 2^32 - 1
  EXPECT_FALSE(is_sorted_as({0xff, 0xff, 0xff, 0xff, 0x0f, 1}));              // 2^32
  EXPECT_FALSE(is_sorted_as({0x80, 0x80, 0x80, 0x80, 0x10}));
  EXPECT_FALSE(is_sorted_as({0}));                                            // no place
  EXPECT_FALSE(is_sorted_as({0, 1}));
  EXPECT_FALSE(is_sorted_as({5, 0, 1}));                                      // something behind the end
  EXPECT_FALSE(is_sorted_as({0x85, 0}));                                      // longer than it need be
  EXPECT_FALSE(is_sorted_as({1, 1, 1, 1, 1, 1, 1, 0x81}));                    // cut
}

TEST(FunctionStarts, FillTheirRoomAndNoMore) {
  const std::vector<std::uint64_t> places{0, 16 * 0x1000, 16 * 0x1008, 16 * 0x100c, 16 * 0x1100};
  const auto written = [&](std::size_t size) {
    Bytes table(size, 0xee);
    write_starts(places, table);
    return table;
  };
  EXPECT_EQ((Bytes{0x80, 0x20, 8, 4, 0xf4, 1, 0, 0}), written(8));  // an RVA of 0 has no step
  EXPECT_EQ((Bytes{0x80, 0x20, 8, 4, 0}), written(5));
  EXPECT_EQ((Bytes{0x80, 0x20, 8}), written(3));
  EXPECT_EQ((Bytes{0}), written(1));
  EXPECT_EQ(Bytes(), written(0));
}

// The index and each head of two pages, broken in turn.
TEST(UnwindPages, AreOnlyRebuiltWhereTheyWouldBeWrittenSo) {
  std::vector<unsigned> functions(513);
  std::iota(functions.begin(), functions.end(), 1u);
  const SortedProgram program = sorted_program(functions, SortedShape::kMachOArm64);
  const SortedTable table = program.tables[1];
  ASSERT_EQ(SortedTableKind::kUnwindPages, table.kind);
  ASSERT_EQ(4096u + 8 + 2 * 8, table.size_bytes);
  const std::size_t info = static_cast<std::size_t>(table.pos) - (28 + 3 * 12);
  const auto is_sorted_with = [&](std::size_t at, auto value) {
    Bytes bytes = program.bytes;
    store_le(bytes.data() + at, value);
    const std::vector<SortedTable> found = found_in(bytes);
    return std::find(found.begin(), found.end(), table) != found.end();
  };
  const auto pages = static_cast<std::size_t>(table.pos);
  EXPECT_TRUE(is_sorted_with(info, std::uint32_t{7}));
  for (const std::uint32_t count : {0u, 1u, 2u, 4u, 0xffffffffu}) EXPECT_FALSE(is_sorted_with(info + 24, count)) << count;
  EXPECT_FALSE(is_sorted_with(info + 20, std::uint32_t{0xfffffff0}));
  EXPECT_FALSE(is_sorted_with(info + 32, std::uint32_t{28 + 3 * 12 + 8}));
  for (const std::size_t page : {pages, pages + 4096}) {
    EXPECT_FALSE(is_sorted_with(page, std::uint32_t{3}));
    EXPECT_FALSE(is_sorted_with(page + 4, std::uint16_t{12}));
    for (const std::uint16_t count : {std::uint16_t{0}, std::uint16_t{512}}) EXPECT_FALSE(is_sorted_with(page + 6, count)) << count;
  }
  const auto start = load_le<std::uint32_t>(program.bytes.data() + pages + 4096 - 8);
  EXPECT_TRUE(is_sorted_with(pages + 4096 + 8, start + 1));
  EXPECT_FALSE(is_sorted_with(pages + 4096 + 8, start));  // not behind the last one of the page before
}

// What NEW has more than OLD is left out, what it has less leaves the last page shorter.
TEST(UnwindPages, AreWrittenPageByPage) {
  std::vector<unsigned> functions(514);
  std::iota(functions.begin(), functions.end(), 1u);
  const SortedProgram from = sorted_program(functions, SortedShape::kMachO64);
  for (const std::ptrdiff_t fewer : {2, 3, 100}) {
    const SortedProgram to = sorted_program({functions.begin() + fewer, functions.end()}, SortedShape::kMachO64);
    const Rebuilt rebuilt(from.bytes, to.bytes, copies(from, to), base_label(from, to));
    const Bytes& bytes = rebuilt.tables.at(1).bytes;
    const ByteSpan wanted = bytes_of(to, to.tables[1]);
    EXPECT_TRUE(std::ranges::equal(wanted, ByteSpan(bytes).first(wanted.size()))) << fewer;
    for (std::size_t i = wanted.size(); i < bytes.size(); ++i) {
      if (i >= 4096 && i < 4104) continue;  // the head of an empty page
      EXPECT_EQ(0u, bytes[i]) << i;
    }
  }
}

// Sixteen bytes came into the middle of the first function, and the second one is gone.
TEST(FunctionTables, AFunctionEndsWithItsLastByte) {
  const SortedProgram program = sorted_program({1, 2, 3}, SortedShape::kPe64);
  Covers covers = copies(program, program);
  const Cover whole = covers[0];
  ASSERT_LT(48u, covers[1].length);
  covers[0].length = 32;
  covers[1] = {whole.source_pos + 32, whole.target_pos + 48, whole.length - 32};
  const Rebuilt rebuilt(program.bytes, program.bytes, covers);
  const Bytes& bytes = rebuilt.tables.at(1).bytes;
  const ByteSpan old = bytes_of(program, program.tables[1]);
  ASSERT_EQ(36u, bytes.size());
  EXPECT_TRUE(std::ranges::equal(old.first(4), ByteSpan(bytes).first(4)));
  EXPECT_EQ(load_le<std::uint32_t>(old.data() + 4) + 16, load_le<std::uint32_t>(bytes.data() + 4));
  EXPECT_TRUE(std::ranges::equal(old.subspan(24), ByteSpan(bytes).subspan(12, 12)));
  EXPECT_EQ(Bytes(12), Bytes(bytes.begin() + 24, bytes.end()));

  // Its second half gone, it ends as far from its start as before.
  covers.erase(covers.begin() + 1);
  const Rebuilt cut(program.bytes, program.bytes, covers);
  EXPECT_TRUE(std::ranges::equal(old.first(12), ByteSpan(cut.tables.at(1).bytes).first(12)));
}

// A label goes before what covers say.
TEST(FunctionTables, UnwindInformationIsLedByLabels) {
  const SortedProgram program = sorted_program({1, 2}, SortedShape::kPe64);
  const ByteSpan old = bytes_of(program, program.tables[1]);
  const std::uint64_t base = Images(find_images(program.bytes)).all[0].base_address;
  const auto unwind = load_le<std::uint32_t>(old.data() + 8);
  const Rebuilt rebuilt(program.bytes, program.bytes, copies(program, program), {{base + unwind, base + 0x4321, 0}});
  EXPECT_EQ(0x4321u, load_le<std::uint32_t>(rebuilt.tables.at(1).bytes.data() + 8));
}

}  // namespace
}  // namespace bdelta::exe::exe_sorted_kinds_test
