#include "exe/rebuilt_tables.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "exe/images.hpp"
#include "exe/rebuild_memory.hpp"
#include "exe/sorted_tables.hpp"
#include "support/exe_craft.hpp"
#include "support/sorted_program.hpp"

namespace bdelta::exe {

static bool operator==(const SortedTable& a, const SortedTable& b) {
  return a.pos == b.pos && a.size_bytes == b.size_bytes && a.kind == b.kind && a.image == b.image;
}

namespace {

using test::kSortedShapes;
using test::sorted_program;
using test::SortedPart;
using test::SortedProgram;
using test::SortedShape;

std::vector<SortedTable> found_in(const Bytes& file) { return find_sorted_tables(file, find_images(file)); }

// Each part of NEW that OLD has, too, copied from there.
Covers copies(const SortedProgram& from, const SortedProgram& to) {
  std::map<unsigned, SortedPart> by_id;
  for (const SortedPart& part : from.parts) by_id[part.id] = part;
  Covers covers;
  for (const SortedPart& part : to.parts) {
    if (const auto old = by_id.find(part.id); old != by_id.end()) {
      covers.push_back({old->second.pos, part.pos, part.size_bytes});
    }
  }
  std::sort(covers.begin(), covers.end(), [](const Cover& a, const Cover& b) { return a.target_pos < b.target_pos; });
  return covers;
}

struct Rebuilt {
  Rebuilt(const Bytes& from, const Bytes& to, Covers copied, std::vector<Label> corrections = {},
          KindSet kinds = kAllTables)
      : old_images(find_images(from)), new_images(find_images(to)), covers(std::move(copied)), map(covers),
        labels(std::move(corrections)), index(labels), breaks(find_page_breaks(to, new_images.all, found_in(to))),
        tables(rebuild_tables({from, old_images, new_images, map, index, breaks}, found_in(from), kinds)) {}

  Images old_images, new_images;
  Covers covers;
  PlaceMap map;
  std::vector<Label> labels;
  LabelIndex index;
  std::vector<PageBreaks> breaks;
  std::vector<RebuiltTable> tables;
};

ByteSpan bytes_of(const SortedProgram& program, const SortedTable& table) {
  return ByteSpan(program.bytes).subspan(static_cast<std::size_t>(table.pos), static_cast<std::size_t>(table.size_bytes));
}

// What the tables count from is in no part: its label.
std::vector<Label> base_label(const SortedProgram& from, const SortedProgram& to) {
  if (from.base_pos == 0) return {};
  std::uint64_t address = 0, new_address = 0;
  EXPECT_TRUE(Images(find_images(from.bytes)).layouts[0].address_of(from.base_pos, address));
  EXPECT_TRUE(Images(find_images(to.bytes)).layouts[0].address_of(to.base_pos, new_address));
  return {{address, new_address, 0}};
}

class OfShape : public ::testing::TestWithParam<SortedShape> {};

TEST_P(OfShape, TablesAreFoundWhereTheyLie) {
  const SortedProgram program = sorted_program({4, 2, 3, 1}, GetParam());
  EXPECT_EQ(program.tables, found_in(program.bytes));
}

TEST_P(OfShape, WhatChangedPlacesIsSortedAsALinkerWould) {
  const SortedProgram from = sorted_program({1, 2, 3, 4, 5, 6, 7, 8}, GetParam());
  const SortedProgram to = sorted_program({7, 8, 3, 1, 2, 6, 4, 5}, GetParam());
  const Rebuilt rebuilt(from.bytes, to.bytes, copies(from, to), base_label(from, to));
  ASSERT_EQ(to.tables.size(), rebuilt.tables.size());
  for (std::size_t i = 0; i < to.tables.size(); ++i) {
    EXPECT_EQ(from.tables[i], rebuilt.tables[i].old);
    EXPECT_TRUE(std::ranges::equal(bytes_of(to, to.tables[i]), rebuilt.tables[i].bytes)) << "table " << i;
  }
}

TEST_P(OfShape, WhatIsNotInNewIsNotListedAndZerosFollow) {
  const SortedProgram from = sorted_program({1, 2, 3, 4, 5, 6, 7, 8}, GetParam());
  const SortedProgram to = sorted_program({8, 3, 6, 1}, GetParam());
  const Rebuilt rebuilt(from.bytes, to.bytes, copies(from, to), base_label(from, to));
  ASSERT_EQ(to.tables.size(), rebuilt.tables.size());
  for (std::size_t i = 0; i < to.tables.size(); ++i) {
    Bytes wanted(rebuilt.tables[i].bytes.size());
    const ByteSpan kept = bytes_of(to, to.tables[i]);
    std::copy(kept.begin(), kept.end(), wanted.begin());
    EXPECT_EQ(wanted, rebuilt.tables[i].bytes) << "table " << i;
  }
}

// A linker folds equal functions; without that NEW may have one more often than OLD.
TEST_P(OfShape, WhatIsCopiedTwiceIsListedTwiceAsFarAsThereIsRoom) {
  const SortedProgram from = sorted_program({1, 2, 3, 4}, GetParam());
  const SortedProgram to = sorted_program({1, 2, 3, 4}, GetParam());
  Covers covers = copies(from, to);
  const std::uint64_t first_size = covers[0].length;
  std::erase_if(covers, [&](const Cover& c) { return c.target_pos == covers[1].target_pos; });
  const std::uint64_t second_size = std::min<std::uint64_t>(first_size, to.parts[1].size_bytes);
  covers.insert(covers.begin() + 1, {from.parts[0].pos, to.parts[1].pos, second_size});
  ASSERT_TRUE(covers_are_valid(covers, from.bytes.size(), to.bytes.size()));
  const Rebuilt rebuilt(from.bytes, to.bytes, covers, base_label(from, to));
  ASSERT_EQ(to.tables.size(), rebuilt.tables.size());
  const SortedTable& table = to.tables.back().kind == SortedTableKind::kFunctions ? to.tables.back() : to.tables[0];
  if (lists_places(table.kind)) return;
  const Bytes& bytes = rebuilt.tables[static_cast<std::size_t>(&table - to.tables.data())].bytes;
  const std::size_t entry = bytes.size() / 4;
  const auto start = [&](ByteSpan of, std::size_t i) { return load_le<std::uint32_t>(of.data() + entry * i); };
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(start(bytes_of(to, table), i), start(bytes, i)) << i;
  // The second one unwinds as the first.
  EXPECT_EQ(load_le<std::uint32_t>(bytes.data() + entry - 4), load_le<std::uint32_t>(bytes.data() + 2 * entry - 4));
}

TEST_P(OfShape, OnlyKindsOfTheSetAreRebuilt) {
  const SortedProgram from = sorted_program({1, 2, 3}, GetParam());
  const SortedProgram to = sorted_program({3, 1, 2}, GetParam());
  for (const SortedTable& table : from.tables) {
    const Rebuilt rebuilt(from.bytes, to.bytes, copies(from, to), {}, set_of(table.kind));
    ASSERT_EQ(1u, rebuilt.tables.size());
    EXPECT_EQ(table, rebuilt.tables[0].old);
  }
  EXPECT_TRUE(Rebuilt(from.bytes, to.bytes, copies(from, to), {}, kAllKinds).tables.empty());
}

TEST_P(OfShape, WithoutCoversNothingIsRebuilt) {
  const SortedProgram from = sorted_program({1, 2, 3}, GetParam());
  EXPECT_TRUE(Rebuilt(from.bytes, from.bytes, {}).tables.empty());
}

// In a file of several images each table becomes that of the image that its functions went to.
TEST_P(OfShape, ImagesMayChangePlaces) {
  const SortedProgram first = sorted_program({1, 2, 3, 4}, GetParam());
  const SortedProgram second = sorted_program({15, 16, 17, 18}, GetParam());
  const SortedProgram new_first = sorted_program({4, 2, 3, 1}, GetParam());
  const SortedProgram new_second = sorted_program({18, 15, 17, 16}, GetParam());
  Bytes from = first.bytes, to = new_second.bytes;
  append(from, second.bytes);
  append(to, new_first.bytes);
  Covers covers;
  for (Cover cover : copies(second, new_second)) {
    cover.source_pos += first.bytes.size();
    covers.push_back(cover);
  }
  for (Cover cover : copies(first, new_first)) {
    cover.target_pos += new_second.bytes.size();
    covers.push_back(cover);
  }
  std::vector<Label> labels = base_label(first, new_first);
  for (Label label : base_label(second, new_second)) {
    label.image = 1;
    labels.push_back(label);
  }
  const Rebuilt rebuilt(from, to, covers, labels);
  ASSERT_EQ(2 * new_first.tables.size(), rebuilt.tables.size());
  for (std::size_t i = 0; i < new_first.tables.size(); ++i) {
    const RebuiltTable& of_second = rebuilt.tables[i + new_first.tables.size()];
    EXPECT_EQ(1u, rebuilt.tables[i].target_image);
    EXPECT_EQ(0u, of_second.target_image);
    EXPECT_TRUE(std::ranges::equal(bytes_of(new_first, new_first.tables[i]), rebuilt.tables[i].bytes)) << i;
    EXPECT_TRUE(std::ranges::equal(bytes_of(new_second, new_second.tables[i]), of_second.bytes)) << i;
  }
}

// Two images become one: the table of the first is that one's, and holds the functions of both as far as there is room.
TEST_P(OfShape, OneTableBecomesThatOfAnImage) {
  const SortedProgram first = sorted_program({1, 2, 3, 4}, GetParam());
  const SortedProgram second = sorted_program({15, 16}, GetParam());
  const SortedProgram to = sorted_program({15, 2, 16, 3}, GetParam());
  Bytes from = first.bytes;
  append(from, second.bytes);
  Covers covers = copies(first, to);
  for (Cover cover : copies(second, to)) {
    cover.source_pos += first.bytes.size();
    covers.push_back(cover);
  }
  std::sort(covers.begin(), covers.end(), [](const Cover& a, const Cover& b) { return a.target_pos < b.target_pos; });
  const Rebuilt rebuilt(from, to.bytes, covers, base_label(first, to));
  ASSERT_EQ(to.tables.size(), rebuilt.tables.size());
  for (std::size_t i = 0; i < to.tables.size(); ++i) {
    EXPECT_EQ(first.tables[i], rebuilt.tables[i].old);
    EXPECT_TRUE(std::ranges::equal(bytes_of(to, to.tables[i]), ByteSpan(rebuilt.tables[i].bytes).first(to.tables[i].size_bytes)))
        << "table " << i;
  }
}

// One entry out of order, whichever: then it is no sorted table, and the others are what they were.
TEST_P(OfShape, ATableOutOfOrderIsLeftAlone) {
  const SortedProgram program = sorted_program({1, 2, 3, 4, 5}, GetParam());
  const Machine machine = find_images(program.bytes)[0].machine;
  for (const SortedTable& table : program.tables) {
    const bool is_places = table.kind == SortedTableKind::kBaseRelocations;
    const std::size_t unit = is_places ? 2 : entry_bytes(table.kind, machine);
    const bool has_head = is_places || table.kind == SortedTableKind::kUnwindPages;
    const auto first = static_cast<std::size_t>(table.pos) + (has_head ? 8 : 0);
    if (table.kind == SortedTableKind::kFunctionStarts) continue;  // of steps, which are never out of order
    Bytes bytes = program.bytes;
    std::swap_ranges(bytes.begin() + static_cast<std::ptrdiff_t>(first),
                     bytes.begin() + static_cast<std::ptrdiff_t>(first + unit),
                     bytes.begin() + static_cast<std::ptrdiff_t>(first + unit));
    std::vector<SortedTable> wanted = program.tables;
    std::erase(wanted, table);
    EXPECT_EQ(wanted, found_in(bytes));
  }
}

INSTANTIATE_TEST_SUITE_P(All, OfShape, ::testing::ValuesIn(kSortedShapes));

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
    write_places(places, table);
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

TEST(SortedTables, AsManyAsAFileDeclaresTakeMemoryByTheirSize) {
  const auto bytes = [](const SortedProgram& program, KindSet kinds, PredictorId predictor) {
    return rebuild_memory_bytes(find_images(program.bytes), program.tables, kinds, predictor);
  };
  const SortedProgram program = sorted_program({1, 2, 3}, SortedShape::kElf64);
  const KindSet one = set_of(SortedTableKind::kUnwindIndex);
  EXPECT_EQ(10 * 24u, bytes(program, one, PredictorId::k8));
  EXPECT_EQ(10 * (24u + 72u), bytes(program, kAllTables, PredictorId::k8));
  EXPECT_EQ(0u, bytes(program, kAllKinds, PredictorId::k8));
  EXPECT_EQ(3 * 56u, bytes(program, one, PredictorId::k9));
  EXPECT_EQ(24 + 72u + std::max(3 * 56u - 24u, 3 * 56u - 72u), bytes(program, kAllTables, PredictorId::k9));
  EXPECT_EQ(0u, bytes(program, kAllKinds, PredictorId::k9));
  const SortedProgram macho = sorted_program({1, 2, 3}, SortedShape::kMachO64);
  EXPECT_EQ(17 * 8u + 10 * (8u + 24u), bytes(macho, kAllTables, PredictorId::k8));
}

TEST(RebuiltTables, StandInPlaceOfWhatOldHas) {
  std::vector<RebuiltTable> tables(2);
  tables[0] = {{10, 4, SortedTableKind::kFunctions, 0}, 0, 0, {1, 2, 3, 4}};
  tables[1] = {{20, 2, SortedTableKind::kUnwindIndex, 0}, 0, 0, {5, 6}};
  const auto put = [&](std::uint64_t pos, std::size_t size) {
    Bytes bytes(size, 9);
    put_tables(tables, pos, bytes);
    return bytes;
  };
  EXPECT_EQ((Bytes{9, 1, 2}), put(9, 3));
  EXPECT_EQ((Bytes{2, 3}), put(11, 2));
  EXPECT_EQ((Bytes{4, 9, 9, 9, 9, 9, 9, 5, 6, 9}), put(13, 10));
  EXPECT_EQ((Bytes{9, 9}), put(14, 2));
  EXPECT_EQ((Bytes{9}), put(22, 1));
}

}  // namespace
}  // namespace bdelta::exe
