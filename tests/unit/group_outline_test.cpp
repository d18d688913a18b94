// Groups and plain segments: the outline covers the target exactly, and says what is true.
#include "create/group_outline.hpp"

#include "support/craft.hpp"
#include "support/generate.hpp"

namespace bdelta::test::group_outline_test {
namespace {

// Every target byte once, in order; plain segments are exact copies; groups hold no more coded bytes than asked.
void expect_sound(ByteSpan source, ByteSpan target, const std::vector<GroupOutline>& outlines, std::uint64_t group_bytes) {
  std::uint64_t done = 0;
  for (const GroupOutline& outline : outlines) {
    std::uint64_t coded = 0;
    EXPECT_FALSE(outline.empty());
    for (const Segment& segment : outline) {
      ASSERT_EQ(done, segment.target_pos);
      ASSERT_GT(segment.target_length, 0u);
      done += segment.target_length;
      if (!segment.plain) {
        coded += segment.target_length;
        continue;
      }
      const std::uint64_t from = segment.target_pos + static_cast<std::uint64_t>(segment.diagonal);
      ASSERT_TRUE(range_fits(from, segment.target_length, source.size()));
      ASSERT_TRUE(same_bytes(source.subspan(from, segment.target_length),
                             target.subspan(segment.target_pos, segment.target_length)));
    }
    EXPECT_LE(coded, group_bytes);
  }
  EXPECT_EQ(target.size(), done);
}

std::vector<GroupOutline> outlined(ByteSpan source, ByteSpan target, const Covers& covers, std::uint64_t group_bytes) {
  WorkerPool pool(2);
  return outline_groups(source, target, {0, target.size()}, covers, group_bytes, pool);
}

TEST(GroupOutline, NothingGivesNoGroups) { EXPECT_TRUE(outlined({}, {}, {}, 1000).empty()); }

TEST(GroupOutline, WithoutCoversGroupsAreCutBySize) {
  const Bytes target = random_bytes(10'500, 1);
  const auto outlines = outlined({}, target, {}, 1000);
  expect_sound({}, target, outlines, 1000);
  EXPECT_EQ(11u, outlines.size());
}

TEST(GroupOutline, LongExactRunsBecomePlain) {
  const Bytes source = random_bytes(std::size_t{5} << 20, 2);
  Bytes target = source;
  target[1'500'000] ^= 1;  // leaves plain ground of more than 1 MiB on either side
  const auto outlines = outlined(source, target, {{0, 0, target.size()}}, 1 << 20);
  expect_sound(source, target, outlines, 1 << 20);
  std::uint64_t plain = 0;
  for (const GroupOutline& group : outlines) {
    for (const Segment& segment : group) plain += segment.plain ? segment.target_length : 0;
  }
  EXPECT_GE(plain, target.size() - 8192);
}

TEST(GroupOutline, IdentityOfAnySizeIsOnePlainSegment) {
  const Bytes source = random_bytes((std::size_t{33} << 20) + 5, 3);  // longer than one piece of the search
  const auto outlines = outlined(source, source, {{0, 0, source.size()}}, 1 << 20);
  ASSERT_EQ(1u, outlines.size());
  ASSERT_EQ(1u, outlines[0].size());
  EXPECT_TRUE(outlines[0][0].plain);
  EXPECT_EQ(source.size(), outlines[0][0].target_length);
}

TEST(GroupOutline, ManyPiecesAndDiagonals) {
  const Bytes source = random_bytes(std::size_t{6} << 20, 4);
  const Bytes target = edited(source, random_edits(12, source.size(), std::size_t{2} << 20, 4));
  const Covers covers = covers_of(source, target);
  for (const std::uint64_t group_bytes : {std::uint64_t{1} << 16, std::uint64_t{1} << 20, std::uint64_t{1} << 30}) {
    expect_sound(source, target, outlined(source, target, covers, group_bytes), group_bytes);
  }
}

}  // namespace
}  // namespace bdelta::test::group_outline_test
