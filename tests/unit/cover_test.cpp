// Lists of covers: where they reach, how they are joined and cut, and what they are as numbers.
#include "delta/cover.hpp"

#include "base/varint.hpp"
#include "match/block_compare.hpp"
#include "match/cover_ranges.hpp"
#include "model/group_draft.hpp"
#include "support/generate.hpp"

namespace bdelta::test::cover_test {
namespace {

const Covers kThree = {{100, 10, 5}, {200, 20, 10}, {300, 30, 10}};

TEST(Covers, AreFoundByWhatTheyCopy) {
  EXPECT_EQ(0, cover_from(kThree, 0) - kThree.begin());
  EXPECT_EQ(0, cover_from(kThree, 14) - kThree.begin());
  EXPECT_EQ(1, cover_from(kThree, 15) - kThree.begin());
  EXPECT_EQ(2, cover_from(kThree, 30) - kThree.begin());
  EXPECT_EQ(3, cover_from(kThree, 40) - kThree.begin());
}

TEST(Covers, ReachIntoARange) {
  using Part = std::array<std::uint64_t, 3>;
  const auto parts = [](std::uint64_t begin, std::uint64_t end) {
    std::vector<Part> all;
    for_each_cover_in(kThree, begin, end, [&](const Cover& cover, std::uint64_t from, std::uint64_t to) {
      all.push_back({cover.source_pos, from, to});
    });
    return all;
  };
  EXPECT_EQ((std::vector<Part>{{100, 12, 15}, {200, 20, 25}}), parts(12, 25));
  EXPECT_EQ((std::vector<Part>{{200, 22, 24}}), parts(22, 24));
  EXPECT_TRUE(parts(15, 20).empty());
  EXPECT_TRUE(parts(40, 90).empty());
}

TEST(Covers, AreOneWhereTheyGoOnInBothFiles) {
  Covers covers;
  for (const Cover& cover : {Cover{5, 0, 10}, {15, 10, 5}, {21, 15, 5}, {26, 21, 5}}) add_joined(covers, cover);
  EXPECT_EQ((Covers{{5, 0, 15}, {21, 15, 5}, {26, 21, 5}}), covers);
}

TEST(Covers, AreCutByRangesAndMerged) {
  const ByteRanges ranges = {{12, 25}, {38, 39}};
  const Covers inside = covers_in(ranges, kThree);
  EXPECT_EQ((Covers{{102, 12, 3}, {200, 20, 5}, {308, 38, 1}}), inside);
  const Covers outside = covers_in(outside_of(ranges, 1000), kThree);
  EXPECT_EQ((Covers{{100, 10, 2}, {205, 25, 5}, {300, 30, 8}, {309, 39, 1}}), outside);
  EXPECT_EQ(covered_bytes(kThree), covered_bytes(merged(inside, outside)));
}

TEST(Covers, AreThreeColumnsOfNumbers) {
  Bytes literals, copies, diagonals;
  for (const std::uint64_t number : {0u, 5u, 0u}) append_varint(literals, number);
  for (const std::uint64_t number : {5u, 10u, 10u}) append_varint(copies, number);
  for (const std::int64_t number : {90, 90, 90}) append_varint(diagonals, zigzag(number));
  const GroupDraft group = group_of_covers(kThree);
  EXPECT_EQ(GroupKind::kCovers, group.kind);
  EXPECT_EQ(literals, group.streams[kLiteralLengths]);
  EXPECT_EQ(copies, group.streams[kCopyLengths]);
  EXPECT_EQ(diagonals, group.streams[kDiagonals]);
  EXPECT_EQ(literals.size() + copies.size() + diagonals.size(), group.stream_bytes());
}

TEST(Misses, AreCountedInAndBehindBlocks) {
  const Bytes a = random_bytes(300, 1);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{64}, std::size_t{65}, a.size()}) {
    Bytes b = a;
    EXPECT_EQ(0u, count_misses(a.data(), b.data(), size));
    for (std::uint8_t& byte : b) byte ^= 1;
    EXPECT_EQ(size, count_misses(a.data(), b.data(), size));
  }
}

}  // namespace
}  // namespace bdelta::test::cover_test
