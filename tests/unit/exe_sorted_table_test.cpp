// What all kinds of sorted tables have in common, in each shape of program.
#include <numeric>

#include "support/exe_craft.hpp"
#include "unit/exe_rebuilt.hpp"

namespace bdelta::exe::exe_sorted_table_test {
namespace {

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
  if (lists_sites(table.kind)) return;
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
}  // namespace bdelta::exe::exe_sorted_table_test
