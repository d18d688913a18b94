// The same of zip archives, with all that real ones hold.
#include "property/view_pairs.hpp"
#include "support/package.hpp"
#include "support/program_pair.hpp"

namespace bdelta::test::zip_views_test {
namespace {

using namespace view_pairs;

struct ZipCase {
  const char* name;
  void (*bend)(std::vector<ZipMember>& members, ZipShape& shape);
};

class ZipViews : public ::testing::TestWithParam<ZipCase> {};

TEST_P(ZipViews, AreSmall) {
  std::vector<ZipMember> members = members_of(6);
  ZipShape shape;
  GetParam().bend(members, shape);
  const Bytes source = zip_of(members, shape);
  const Bytes target = zip_of(next_version(members), shape);
  const Bytes patch = expect_unpacked(source, target);
  std::uint64_t deflated_count = 0;
  for (const ZipMember& member : members) deflated_count += member.level != 0 && !member.encrypted ? 1 : 0;
  EXPECT_EQ(deflated_count, view_plan_of(patch).source_count);
  EXPECT_EQ(deflated_count, view_plan_of(patch).target_count);
}

INSTANTIATE_TEST_SUITE_P(All, ZipViews, ::testing::ValuesIn(std::vector<ZipCase>{
    {"plain", [](auto&, auto&) {}},
    {"descriptors", [](auto& members, auto&) { for (ZipMember& member : members) member.descriptor = true; }},
    {"stored", [](auto& members, auto&) { members[1].level = members[4].level = 0; }},
    {"comments", [](auto& members, auto& shape) { members[2].comment = "of a member"; shape.comment = std::string(3000, 'c'); }},
    {"program", [](auto&, auto& shape) { shape.program = random_bytes(5000, 1); }},
    {"zip64", [](auto& members, auto& shape) { for (ZipMember& member : members) member.zip64 = true; shape.zip64 = true; }},
    {"zip64_end", [](auto&, auto& shape) { shape.zip64 = true; shape.program = random_bytes(100, 2); }},
    {"duplicates", [](auto& members, auto&) { members[3].name = members[5].name = members[0].name; }},
    {"no_names", [](auto& members, auto&) { for (ZipMember& member : members) member.name.clear(); }},
    {"reversed", [](auto&, auto& shape) { shape.reversed = true; }},
    {"encrypted", [](auto& members, auto&) { members[0].encrypted = true; members[0].content = text_of(1, 600); }},
    {"levels", [](auto& members, auto&) { for (std::size_t i = 0; i < 6; ++i) members[i].level = static_cast<int>(i) + 1; }},
    {"strategies", [](auto& members, auto&) { members[1].level = 9; members[3].level = 1; members[3].descriptor = true; }}}),
    [](const auto& of) { return of.param.name; });

TEST(ZipView, WhatDidNotChangeStaysPacked) {
  std::vector<ZipMember> members = members_of(8);
  const Bytes source = zip_of(members);
  members[2].content = changed(members[2].content);
  members[6].content = changed(members[6].content);
  const Bytes target = zip_of(members);
  const Bytes patch = expect_unpacked(source, target);
  EXPECT_EQ(2u, view_plan_of(patch).target_count);
  EXPECT_EQ(2u, view_plan_of(patch).source_count);
}

TEST(ZipView, MembersThatCameWentAndMoved) {
  std::vector<ZipMember> members = members_of(6);
  const Bytes source = zip_of(members);
  std::vector<ZipMember> next = next_version(members);
  std::swap(next[0], next[4]);
  next.erase(next.begin() + 2);
  next.push_back({"new", text_of(900, 3000)});
  expect_unpacked(source, zip_of(next));
}

// As many members of a few words each, all alike but for their numbers, in another order.
TEST(ZipView, MembersInAnotherOrderMakeSmallPatches) {
  std::vector<ZipMember> members;
  for (unsigned i = 0; i < 2000; ++i) {
    members.push_back({"package/file" + std::to_string(i) + ".txt", text_of(1, 100 + i % 90), 0});
    append(members.back().content, bytes_of(std::to_string(i * 7919 % 100'000)));
  }
  members.push_back({"package/list", text_of(7)});
  const Bytes source = zip_of(members);
  members.back().content = changed(members.back().content);
  Random random(5);
  for (std::size_t left = members.size(); left > 1; --left) {
    std::swap(members[left - 1], members[static_cast<std::size_t>(random.below(left))]);
  }
  const Bytes target = zip_of(members);
  for (const int level : {1, 3, 6}) {
    SCOPED_TRACE(level);
    const Bytes patch = expect_same_patch_by_any_threads(source, target, level);
    EXPECT_TRUE(has_view(patch));
    EXPECT_GT(9 * members.size() / 2, patch.size());
    expect_rebuilt(source, patch, target);
  }
}

// A package as a wheel: some of its files are stored, and one stays packed.
std::vector<ZipMember> wheel_of(const Bytes& package) {
  std::vector<ZipMember> members;
  for (const view::Member& file : test::members_of(ByteSpan(package))) {
    const auto* const data = package.data() + file.data_pos;
    members.push_back({file.name, Bytes(data, data + file.data_bytes), members.size() % 5 == 1 ? 0 : 6});
  }
  members[4].encrypted = true;
  return members;
}

TEST(ZipView, DigestsInWheelsAreFilled) {
  PackageShape shape;
  shape.file_count = 60;
  const PackagePair package = package_pair(shape);
  const Bytes source = zip_of(wheel_of(package.old_version)), target = zip_of(wheel_of(package.new_version));
  const auto patch = make_patch(source, target, create_options(9));
  ASSERT_OK(patch);
  EXPECT_TRUE(has_view(*patch));
  const Fills fills = fills_of(*patch);
  ASSERT_EQ(1u, fills.size());
  EXPECT_EQ(package.changed.ranges.size() - 1, fills[0].ranges.size()) << "all but that of the one that stays packed";
  expect_rebuilt_everywhere(source, *patch, target);
  expect_rebuilt_in_pieces(source, *patch, target);
}

TEST(ZipView, NothingWhereAllIsTheSame) {
  const Bytes source = zip_of(members_of(4));
  expect_left_packed(source, source);
  ZipShape shape;
  shape.comment = "another end";
  expect_left_packed(source, zip_of(members_of(4), shape));
}

TEST(ZipView, ProgramsInsideArePredicted) {
  const ProgramPair programs = program_pair(5, 400);
  const Bytes source = zip_of({{"lib.so", programs.old_version}});
  const Bytes target = zip_of({{"lib.so", programs.new_version}});
  const auto patch = make_patch(source, target, create_options(9));
  ASSERT_OK(patch);
  EXPECT_TRUE(has_view(*patch));
  EXPECT_TRUE(has_feature(*patch, native::kFeaturePrediction));
  expect_rebuilt_everywhere(source, *patch, target);
  expect_rebuilt_in_pieces(source, *patch, target);
}

TEST(ZipView, BesideAGzipFile) {
  const Bytes text = text_of(30);
  expect_unpacked(gzip_of(text), zip_of({{"text", changed(text)}}));
  expect_unpacked(zip_of({{"text", text}}), gzip_of(changed(text)));
}

}  // namespace
}  // namespace bdelta::test::zip_views_test
