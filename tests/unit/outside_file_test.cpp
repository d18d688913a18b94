// Which stretches are predicted, and what lies outside of these as a file of its own.
#include "create/outside_file.hpp"

#include "create/changed_images.hpp"

#include <gtest/gtest.h>

#include "support/generate.hpp"

namespace bdelta::test {
namespace {

exe::Image image_at(std::uint64_t pos, std::uint64_t size_bytes) {
  exe::Image image;
  image.file_pos = pos;
  image.size_bytes = size_bytes;
  return image;
}

void expect_ranges(const ByteRanges& ranges, const std::vector<std::pair<std::uint64_t, std::uint64_t>>& expected) {
  ASSERT_EQ(ranges.size(), expected.size());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    EXPECT_EQ(ranges[i].begin, expected[i].first) << i;
    EXPECT_EQ(ranges[i].end, expected[i].second) << i;
  }
}

TEST(ImageRanges, AreThoseOfImagesAndJoinWhatIsClose) {
  const std::vector<exe::Image> images = {image_at(1000, 500), image_at(1600, 400), image_at(1'000'000, 10)};
  expect_ranges(image_ranges(images, 2'000'000), {{1000, 2000}, {1'000'000, 1'000'010}});
}

TEST(ImageRanges, EndWithTheTarget) {
  expect_ranges(image_ranges({image_at(1000, 500)}, 1200), {{1000, 1200}});
  expect_ranges(outside_of({{1000, 1200}}, 1200), {{0, 1000}});
  expect_ranges(outside_of({{0, 1200}}, 1200), {});
}

TEST(OutsideFile, HoldsWhatLiesBetweenTheRangesInOrder) {
  const Bytes target = random_bytes(100, 1);
  const OutsideFile file({{10, 20}, {50, 80}}, target);
  Bytes expected(target.begin() + 10, target.begin() + 20);
  expected.insert(expected.end(), target.begin() + 50, target.begin() + 80);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), file.bytes().begin(), file.bytes().end()));
}

TEST(OutsideFile, PutsCoversBackAndCutsThemWhereRangesEnd) {
  const OutsideFile file({{10, 20}, {50, 80}}, Bytes(100));
  const Covers placed = file.placed({{1000, 2, 3}, {2000, 6, 10}, {3000, 30, 10}});
  EXPECT_EQ(placed, (Covers{{1000, 12, 3}, {2000, 16, 4}, {2004, 50, 6}, {3000, 70, 10}}));
}

// A diagonal is the distance from the target's position to the source's, so it grows by what was left out in front.
TEST(OutsideFile, MovesDiagonalsByWhatIsLeftOut) {
  OutsideFile file({{10, 20}, {50, 80}}, Bytes(100));
  const std::vector<AlignedRange> parts = {{0, 15, 7, 8, 5, 70}, {18, 60, -3, 4, 55, -2}, {90, 95, 1, 1}};
  const Diagonals moved = file.diagonals({5, 6, parts});
  EXPECT_EQ(moved.from_start, 5 + 10);
  EXPECT_EQ(moved.from_end, 6 + 40);
  ASSERT_EQ(moved.parts.size(), 3u);
  const auto expect_part = [&](std::size_t i, AlignedRange expected) {
    EXPECT_EQ(moved.parts[i].begin, expected.begin) << i;
    EXPECT_EQ(moved.parts[i].end, expected.end) << i;
    EXPECT_EQ(moved.parts[i].from_start, expected.from_start) << i;
    EXPECT_EQ(moved.parts[i].from_end, expected.from_end) << i;
    EXPECT_EQ(moved.parts[i].data_pos, expected.data_pos) << i;
    EXPECT_EQ(moved.parts[i].from_data, expected.from_data) << i;
  };
  constexpr std::uint64_t kNone = AlignedRange::kNoData;
  expect_part(0, {0, 5, 17, 18, kNone, 80});
  expect_part(1, {8, 10, 7, 14, kNone, 8});
  expect_part(2, {10, 20, 37, 44, 15, 38});
}

}  // namespace
}  // namespace bdelta::test
