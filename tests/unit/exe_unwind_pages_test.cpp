// Pages of __unwind_info as they are read, written and told.
#include "exe/unwind_pages.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "exe/images.hpp"
#include "exe/page_breaks.hpp"
#include "exe/sorted_tables.hpp"
#include "support/exe_craft.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"
#include "support/sorted_program.hpp"
#include "support/unwind_section.hpp"

namespace bdelta::exe {

static bool operator==(const UnwindEntry& a, const UnwindEntry& b) { return a.rva == b.rva && a.encoding == b.encoding; }

namespace exe_unwind_pages_test {
namespace {

using namespace bdelta::test;

constexpr std::size_t kSection = 0x200;

// A header with nothing but this section.
struct Crafted {
  explicit Crafted(const UnwindSection& section) {
    CraftedBytes out;
    out.put_bytes(0x100, test::bytes_of("__unwind_info"));
    out.put_bytes(kSection, section.bytes);
    bytes = out.take();
    header.sections.push_back({0x100, 0, section.bytes.size(), kSection, 0});
  }

  std::vector<UnwindEntry> entries() const {
    std::vector<UnwindEntry> all;
    const auto info = read_unwind_info(bytes, header);
    if (!info) return all;
    for (const UnwindPage& page : info->pages) {
      for (std::uint32_t i = 0; i < page.entry_count; ++i) all.push_back(unwind_entry(bytes, *info, page, i));
    }
    return all;
  }

  Bytes bytes;
  MachoHeader header;
};

const std::vector<UnwindEntry> kEntries = {{0x1000, 7}, {0x1010, 8}, {0x1020, 7},          // compressed
                                           {0x3000, 9}, {0x2000000, 7},                    // regular
                                           {0x2000100, 9}, {0x2000200, 8}, {0x2000300, 10}};  // compressed
const std::vector<PageBreak> kBreaks = {{0x1000, true}, {0x3000, false}, {0x2000100, true}};

TEST(UnwindPagesOfBothKinds, AreReadAsTheyWereWritten) {
  for (const std::size_t gap : {0u, 4u, 100u}) {
    const UnwindSection section = unwind_section(kEntries, kBreaks, {7}, gap);
    const Crafted crafted(section);
    EXPECT_EQ(kEntries, crafted.entries()) << gap;
    const auto info = read_unwind_info(crafted.bytes, crafted.header);
    ASSERT_TRUE(info);
    EXPECT_EQ(kSection + section.pages_at, info->begin_pos);
    EXPECT_EQ(crafted.bytes.size(), info->end_pos);
    for (std::size_t i = 0; i < kBreaks.size(); ++i) EXPECT_EQ(kBreaks[i], info->pages[i].begin) << i;
    EXPECT_EQ(1u, info->pages[0].own_count);  // 8
    EXPECT_EQ(3u, info->pages[2].own_count);  // 9, 8, 10
  }
}

TEST(UnwindPagesOfBothKinds, HaveTheBytesOfTheirFormat) {
  Bytes bytes(64, 0xff);
  write_unwind_pages(std::span(kEntries).first(5), kBreaks, std::vector<std::uint32_t>{7}, bytes);
  CraftedBytes wanted;
  wanted.put32(0, 3).put16(4, 12).put16(6, 3).put16(8, 24).put16(10, 1);
  wanted.put32(12, 0).put32(16, 0x01000010).put32(20, 0x20).put32(24, 8);
  wanted.put32(28, 2).put16(32, 8).put16(34, 2).put32(36, 0x3000).put32(40, 9).put32(44, 0x2000000).put32(48, 7);
  wanted.grow_to(64);
  EXPECT_EQ(wanted.take(), bytes);
}

// A page that there is no room for ends the table; pages without entries leave nothing behind.
TEST(UnwindPagesOfBothKinds, AreWrittenAsFarAsThereIsRoom) {
  Bytes whole(28 + 24 + 200);
  write_unwind_pages(kEntries, kBreaks, std::vector<std::uint32_t>{7}, whole);
  Bytes cut(28 + 23, 0xff);
  write_unwind_pages(kEntries, kBreaks, std::vector<std::uint32_t>{7}, cut);
  EXPECT_TRUE(std::equal(cut.begin(), cut.begin() + 28, whole.begin()));
  EXPECT_EQ(Bytes(23), Bytes(cut.begin() + 28, cut.end()));

  Bytes skipped(28 + 24);
  write_unwind_pages(std::span(kEntries).first(5), std::vector<PageBreak>{{0, true}, {0x1000, true}, {0x1800, true}, {0x3000, false}},
                     std::vector<std::uint32_t>{7}, skipped);
  EXPECT_TRUE(std::equal(skipped.begin(), skipped.end(), whole.begin()));
}

// More encodings than eight bits can number.
TEST(UnwindPagesOfBothKinds, TheLastNumberStandsForAllThatHaveNone) {
  std::vector<UnwindEntry> entries;
  for (std::uint32_t i = 0; i < 300; ++i) entries.push_back({0x1000 + i, 100 + i});
  const UnwindSection section = unwind_section(entries, {{0x1000, true}}, {1, 2, 100}, 0);
  const Crafted crafted(section);
  const std::vector<UnwindEntry> read = crafted.entries();
  ASSERT_EQ(300u, read.size());
  EXPECT_EQ(100u, read[0].encoding);
  EXPECT_EQ(100u + 253, read[253].encoding);  // number 255
  for (std::size_t i = 254; i < 300; ++i) EXPECT_EQ(100u + 253, read[i].encoding) << i;
  EXPECT_EQ(253u, read_unwind_info(crafted.bytes, crafted.header)->pages[0].own_count);
}

// Each number of the heads and of the index, broken in turn.
TEST(UnwindPagesOfBothKinds, AreOnlyReadWhereTheyAreSound) {
  const UnwindSection section = unwind_section(kEntries, kBreaks, {7}, 0);
  const auto is_read_with = [&](std::size_t at, auto value) {
    Crafted crafted(section);
    store_le(crafted.bytes.data() + kSection + at, value);
    return read_unwind_info(crafted.bytes, crafted.header).has_value();
  };
  const std::size_t page = section.pages_at, index = section.index_at;
  EXPECT_TRUE(is_read_with(0, std::uint32_t{7}));
  EXPECT_FALSE(is_read_with(4, std::uint32_t{0xfffffff0}));
  EXPECT_FALSE(is_read_with(8, std::uint32_t{257}));
  EXPECT_FALSE(is_read_with(20, std::uint32_t{0xfffffff0}));
  for (const std::uint32_t count : {0u, 1u, 65538u, 0xffffffffu}) EXPECT_FALSE(is_read_with(24, count)) << count;
  EXPECT_TRUE(is_read_with(24, std::uint32_t{3}));  // without the last page
  EXPECT_FALSE(is_read_with(index + 4, static_cast<std::uint32_t>(section.bytes.size() - 4)));
  EXPECT_FALSE(is_read_with(index + 16, static_cast<std::uint32_t>(page + 24)));  // inside the page before
  EXPECT_FALSE(is_read_with(page, std::uint32_t{4}));
  EXPECT_FALSE(is_read_with(page, std::uint32_t{2}));
  EXPECT_FALSE(is_read_with(page + 4, std::uint16_t{8}));
  EXPECT_FALSE(is_read_with(page + 6, std::uint16_t{0}));
  EXPECT_FALSE(is_read_with(page + 6, std::uint16_t{4}));
  EXPECT_FALSE(is_read_with(page + 8, std::uint16_t{25}));
  EXPECT_FALSE(is_read_with(page + 10, std::uint16_t{2}));      // reaches into the next page
  EXPECT_TRUE(is_read_with(page + 10, std::uint16_t{0}));
  EXPECT_FALSE(is_read_with(page + 28 + 6, std::uint16_t{3}));  // likewise
}

// Functions may be listed twice, but not in another order.
TEST(UnwindPagesOfBothKinds, AreSortedTablesOnlyInOrder) {
  const SortedProgram program = sorted_program({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, SortedShape::kMachOMixed64);
  const SortedTable& table = program.tables[1];
  const auto is_sorted_with = [&](std::uint32_t word) {
    Bytes bytes = program.bytes;
    store_le(bytes.data() + table.pos + 12 + 4, word);
    const std::vector<SortedTable> found = find_sorted_tables(bytes, find_images(bytes));
    return found.size() == 2 && found[1].kind == SortedTableKind::kMixedUnwindPages;
  };
  const auto third = load_le<std::uint32_t>(program.bytes.data() + table.pos + 12 + 8) & 0xffffff;
  EXPECT_TRUE(is_sorted_with(third));
  EXPECT_FALSE(is_sorted_with(third + 1));
}

TEST(PageBreaks, AreReadAsTheyWereWritten) {
  const std::vector<PageBreaks> lists = {{0, kBreaks}, {7, {{0, false}}}, {0xffffffff, {{0xfffffffe, true}, {0xffffffff, false}}}};
  Bytes bytes;
  append_page_breaks(bytes, lists);
  const std::size_t size = bytes.size();
  bytes.push_back(99);  // what follows is no part of them
  const auto read = parse_page_breaks(bytes);
  ASSERT_OK(read);
  EXPECT_EQ(size, read->size_bytes);
  ASSERT_EQ(lists.size(), read->lists.size());
  for (std::size_t i = 0; i < lists.size(); ++i) {
    EXPECT_EQ(lists[i].image, read->lists[i].image);
    EXPECT_EQ(lists[i].pages, read->lists[i].pages);
  }
  EXPECT_EQ(1u, breaks_of(read->lists, 7).size());
  EXPECT_TRUE(breaks_of(read->lists, 8).empty());
  for (std::size_t i = 0; i < size; ++i) EXPECT_FAILS(ErrorCode::kPatchCorrupt, parse_page_breaks(ByteSpan(bytes).first(i)));
}

TEST(PageBreaks, HaveLimits) {
  const auto read = [](std::initializer_list<std::uint64_t> numbers, std::size_t pages = 0) {
    Bytes bytes;
    for (const std::uint64_t number : numbers) append_varint(bytes, number);
    bytes.resize(bytes.size() + pages);
    return parse_page_breaks(bytes);
  };
  EXPECT_OK(read({1, 0, 65536}, 65536));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read({1, 0, 65537}, 65537));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read({1, 0, 0}));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read({65537}));
  EXPECT_OK(read({1, 0xffffffff, 1, 0}));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read({1, std::uint64_t{1} << 32, 1, 0}));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read({2, 0xffffffff, 1, 0, 0, 1, 0}));
  EXPECT_OK(read({1, 0, 2, 0xffffffffu * std::uint64_t{2}, 1}));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read({1, 0, 2, 0xffffffffu * std::uint64_t{2}, 2}));
}

}  // namespace
}  // namespace exe_unwind_pages_test
}  // namespace bdelta::exe
