// Streams of OLD that NEW has packed alike, and is made from what they hold elsewhere.
#include "property/view_pairs.hpp"

namespace bdelta::test::kept_streams_test {
namespace {

using namespace view_pairs;

// NEW has the members of OLD as they are, and what they hold in others.
std::vector<ZipMember> with_copies(std::vector<ZipMember> members) {
  for (const std::size_t i : {1u, 4u}) members.push_back({"copies/" + std::to_string(i), changed(members[i].content)});
  return members;
}

TEST(KeptStreams, AreCopiedPackedAndReadAsText) {
  const Bytes source = zip_of(members_of(6)), target = zip_of(with_copies(members_of(6)));
  for (const int level : {1, 3, 6, 9}) {
    SCOPED_TRACE(level);
    const Bytes patch = expect_unpacked(source, target, level);
    const view::ViewPlan plan = view_plan_of(patch);
    EXPECT_EQ(2u, plan.source_count);
    EXPECT_EQ(2u, plan.kept_count);
    EXPECT_EQ(2u, plan.target_count);
    EXPECT_LT(patch.size(), 700u);
  }
  EXPECT_FALSE(expect_same_patch_by_any_threads(source, target, 3).empty());
}

// The one that a renamed stream is copied from has a text that NEW's of that name is made from.
TEST(KeptStreams, OneThatIsRenamedAndChanges) {
  const std::vector<ZipMember> before = members_of(3);
  std::vector<ZipMember> after = before;
  after.push_back({"folder/renamed", before[1].content});
  after[1].content = changed(after[1].content);
  const Bytes patch = expect_unpacked(zip_of(before), zip_of(after));
  const view::ViewPlan plan = view_plan_of(patch);
  EXPECT_EQ(1u, plan.source_count);
  EXPECT_EQ(1u, plan.kept_count);
  EXPECT_EQ(1u, plan.target_count);
}

// As fonts are: what is packed in a member is text elsewhere in NEW, and nothing of NEW is packed twice.
TEST(KeptStreams, WhatIsPackedInThem) {
  const auto font_of = [](std::uint64_t seed) {
    Bytes font = bytes_of("tables of ");
    append(font, zlib_of(text_of(seed)));
    append(font, random_bytes(200, seed));
    return font;
  };
  std::vector<ZipMember> members = members_of(2);
  for (unsigned i = 0; i < 3; ++i) members.push_back({"font" + std::to_string(i), font_of(i)});
  const Bytes source = zip_of(members);
  members.push_back({"large", changed(text_of(1))});
  const Bytes patch = expect_unpacked(source, zip_of(members));
  const view::ViewPlans plans = view_plans_of(patch);
  ASSERT_EQ(2u, plans.size());
  EXPECT_EQ(1u, plans[0].kept_count);
  EXPECT_EQ(1u, plans[1].source_count);
  EXPECT_EQ(0u, plans[1].target_count);
  EXPECT_LT(patch.size(), 700u);
}

TEST(KeptStreams, InArchivesInArchives) {
  const auto archive = [](std::vector<ZipMember> members) { return gzip_of(zip_of({{"inner", zip_of(std::move(members)), 0}})); };
  const Bytes patch = expect_unpacked(archive(members_of(6)), archive(with_copies(members_of(6))));
  const view::ViewPlans plans = view_plans_of(patch);
  ASSERT_EQ(2u, plans.size());
  EXPECT_EQ(0u, plans[0].kept_count);
  EXPECT_EQ(2u, plans[1].kept_count);
}

// None of them has much of it, and all together little of NEW.
TEST(KeptStreams, OfManyShortOnes) {
  std::vector<ZipMember> members;
  Bytes collected;
  for (unsigned i = 0; i < 60; ++i) {
    members.push_back({"short/" + std::to_string(i), text_of(100 + i, 3'000)});
    if (i % 6 == 0) append(collected, ByteSpan(members.back().content).subspan(1'000, 300));
  }
  const Bytes source = zip_of(members);
  members.push_back({"collected", collected});
  for (const int level : {3, 6, 9}) {
    SCOPED_TRACE(level);
    const view::ViewPlan plan = view_plan_of(expect_unpacked(source, zip_of(members), level));
    EXPECT_EQ(10u, plan.source_count);
    EXPECT_EQ(10u, plan.kept_count);
  }
}

// Where NEW lacks nothing, streams that are alike stay packed, and nothing is kept.
TEST(KeptStreams, NoneWithoutNeed) {
  std::vector<ZipMember> members = members_of(6);
  const Bytes source = zip_of(members);
  members[2].content = changed(members[2].content);
  members.push_back({"new", random_bytes(50'000, 1)});
  const auto patch = make_patch(source, zip_of(members), create_options(3));
  ASSERT_OK(patch);
  const view::ViewPlan plan = view_plan_of(*patch);
  EXPECT_EQ(1u, plan.source_count);
  EXPECT_EQ(0u, plan.kept_count);
  expect_rebuilt_everywhere(source, *patch, zip_of(members));
}

}  // namespace
}  // namespace bdelta::test::kept_streams_test
