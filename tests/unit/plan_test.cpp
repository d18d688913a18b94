// Groups and plain segments: the plan covers the target exactly, and says what is true.
#include "create/plan.hpp"

#include "support/craft.hpp"
#include "support/generate.hpp"

namespace bdelta::test::plan_test {
namespace {

// Every target byte once, in order; plain segments are exact copies; groups hold no more coded bytes than asked.
void expect_sound(ByteSpan source, ByteSpan target, const std::vector<GroupPlan>& plans, std::uint64_t group_bytes) {
  std::uint64_t done = 0;
  for (const GroupPlan& plan : plans) {
    std::uint64_t coded = 0;
    EXPECT_FALSE(plan.empty());
    for (const Segment& segment : plan) {
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

std::vector<GroupPlan> plan(ByteSpan source, ByteSpan target, const Covers& covers, std::uint64_t group_bytes) {
  WorkerPool pool(2);
  return plan_groups(source, target, {0, target.size()}, covers, group_bytes, pool);
}

TEST(Plan, NothingGivesNoGroups) { EXPECT_TRUE(plan({}, {}, {}, 1000).empty()); }

TEST(Plan, WithoutCoversGroupsAreCutBySize) {
  const Bytes target = random_bytes(10'500, 1);
  const auto plans = plan({}, target, {}, 1000);
  expect_sound({}, target, plans, 1000);
  EXPECT_EQ(11u, plans.size());
}

TEST(Plan, LongExactRunsBecomePlain) {
  const Bytes source = random_bytes(std::size_t{5} << 20, 2);
  Bytes target = source;
  target[1'500'000] ^= 1;  // leaves plain ground of more than 1 MiB on either side
  const auto plans = plan(source, target, {{0, 0, target.size()}}, 1 << 20);
  expect_sound(source, target, plans, 1 << 20);
  std::uint64_t plain = 0;
  for (const GroupPlan& group : plans) {
    for (const Segment& segment : group) plain += segment.plain ? segment.target_length : 0;
  }
  EXPECT_GE(plain, target.size() - 8192);
}

TEST(Plan, IdentityOfAnySizeIsOnePlainSegment) {
  const Bytes source = random_bytes((std::size_t{33} << 20) + 5, 3);  // longer than one piece of the search
  const auto plans = plan(source, source, {{0, 0, source.size()}}, 1 << 20);
  ASSERT_EQ(1u, plans.size());
  ASSERT_EQ(1u, plans[0].size());
  EXPECT_TRUE(plans[0][0].plain);
  EXPECT_EQ(source.size(), plans[0][0].target_length);
}

TEST(Plan, ManyPiecesAndDiagonals) {
  const Bytes source = random_bytes(std::size_t{6} << 20, 4);
  const Bytes target = edited(source, random_edits(12, source.size(), std::size_t{2} << 20, 4));
  const Covers covers = covers_of(source, target);
  for (const std::uint64_t group_bytes : {std::uint64_t{1} << 16, std::uint64_t{1} << 20, std::uint64_t{1} << 30}) {
    expect_sound(source, target, plan(source, target, covers, group_bytes), group_bytes);
  }
}

}  // namespace
}  // namespace bdelta::test::plan_test
