// Archives in archives: views of views.
#include "format/native/view_record.hpp"
#include "property/view_pairs.hpp"
#include "support/tar.hpp"

namespace bdelta::test::nested_views_test {
namespace {

using namespace view_pairs;

Bytes jar_of(bool next, std::uint64_t seed = 100) {
  std::vector<ZipMember> members;
  for (unsigned i = 0; i < 4; ++i) {
    members.push_back({"folder/file" + std::to_string(i), text_of(seed + i, 8000)});
    if (next && i % 2 == 0) members.back().content = changed(members.back().content);
  }
  return zip_of(members);
}

Bytes tar_of_jars(bool next) {
  return tar_of({{"top/one.jar", 1'600'000'000, jar_of(next)}, {"top/two.jar", 1'600'000'000, jar_of(next, 200)},
                      {"top/text", 1'600'000'000, next ? changed(text_of(7)) : text_of(7)}});
}

// An archive of `depth` levels, one in the other.
Bytes nested(bool next, unsigned depth) {
  Bytes file = jar_of(next);
  for (unsigned i = 1; i < depth; ++i) file = zip_of({{"inner" + std::to_string(i), file}, {"beside", text_of(i)}});
  return file;
}

TEST(NestedViews, JarsInTarInGzip) {
  for (const int level : {1, 3, 6}) {
    const Bytes patch = expect_unpacked(gzip_of(tar_of_jars(false)), gzip_of(tar_of_jars(true)), level);
    const view::ViewPlans plans = view_plans_of(patch);
    ASSERT_EQ(2u, plans.size());
    EXPECT_EQ(1u, plans[0].target_count);
    EXPECT_EQ(4u, plans[1].target_count);  // two of each jar stand in OLD
    EXPECT_EQ(4u, plans[1].source_count);
    EXPECT_EQ(plans[0].target_view_bytes, tar_of_jars(true).size() + 18);
  }
}

TEST(NestedViews, InTarAndStored) {
  const Bytes patch = expect_unpacked(tar_of_jars(false), tar_of_jars(true));
  EXPECT_EQ(1u, view_plans_of(patch).size());
  const auto stored = [](bool next) { return zip_of({{"a.jar", jar_of(next), 0}, {"b", text_of(1)}, {"c.tar", tar_of_jars(next), 0}}); };
  const Bytes of_zip = expect_unpacked(stored(false), stored(true));
  EXPECT_EQ(1u, view_plans_of(of_zip).size());
  EXPECT_EQ(6u, view_plan_of(of_zip).target_count);
}

// Each archive has a directory of its own; one that is the same in both files stays as it is.
TEST(NestedViews, DirectoriesOfAllArchives) {
  const auto tar = [](bool next) {
    return tar_of({{"same.jar", 1'600'000'000, jar_of(false, 300)}, {"one.jar", 1'600'000'000, jar_of(next)},
                   {"two.jar", 1'600'000'000, zip_of({{"inner.jar", jar_of(next, 200), 0}, {"text", text_of(1)}})}});
  };
  for (const bool packed : {false, true}) {
    const auto file = [&](bool next) { return packed ? gzip_of(tar(next)) : tar(next); };
    const view::ViewPlans plans = view_plans_of(expect_unpacked(file(false), file(true)));
    ASSERT_EQ(packed ? 2u : 1u, plans.size());
    EXPECT_EQ(3u, plans.back().source_directory_count);
    EXPECT_EQ(3u, plans.back().target_directory_count);
  }
}

// What of an archive in a tar stands where: sizes, checksums and positions of all members take bytes of neither.
TEST(NestedViews, TheSameBytesAsTheArchiveAlone) {
  std::vector<ZipMember> members, changed_members;
  for (unsigned i = 0; i < 60; ++i) {
    members.push_back({"folder/member" + std::to_string(i), text_of(i, 700)});
    changed_members.push_back({members.back().name, changed(members.back().content)});
  }
  const Bytes source = zip_of(members), target = zip_of(changed_members);
  const auto alone = make_patch(source, target, create_options(3));
  const auto in_tar = make_patch(gzip_of(tar_of({{"a.jar", 1, source}})), gzip_of(tar_of({{"a.jar", 1, target}})), create_options(3));
  ASSERT_OK(alone);
  ASSERT_OK(in_tar);
  EXPECT_LT(in_tar->size(), alone->size() + 150);
}

TEST(NestedViews, ToDepthFour) {
  for (unsigned depth = 1; depth <= 6; ++depth) {
    SCOPED_TRACE(depth);
    const auto patch = make_patch(nested(false, depth), nested(true, depth), create_options(3));
    ASSERT_OK(patch);
    EXPECT_EQ(std::min(depth, 4u), view_plans_of(*patch).size());
    expect_rebuilt_everywhere(nested(false, depth), *patch, nested(true, depth));
    expect_rebuilt_in_pieces(nested(false, depth), *patch, nested(true, depth));
  }
}

// Of each view of OLD, what is beyond the memory that a patch declares is in a file, unless the limit has room for both at a time.
TEST(NestedViews, EachMayBeInAFile) {
  const auto archive = [](bool next) {
    return gzip_of(tar_of({{"top/one.jar", 1'600'000'000, jar_of(next)}, {"top/large", 1'600'000'000, periodic_bytes(20 * kMiB, 300, 3)}}), 1);
  };
  const Bytes source = archive(false), target = archive(true);
  const auto patch = make_patch(source, target, create_options(1));
  ASSERT_OK(patch);
  const view::ViewPlans plans = view_plans_of(*patch);
  ASSERT_EQ(2u, plans.size());
  expect_views_in_files(source, *patch, target, plans[0].source_view_bytes + plans[1].source_view_bytes - 32 * kMiB);
}

// The second reader counts the same (declared_memory.py).
TEST(NestedViews, OfEachPartsAreDeclared) {
  view::ViewPlans plans(2);
  plans[0].source_view_bytes = 100 * kMiB;
  plans[0].source_largest_bytes = 50 * kMiB;
  plans[1].source_view_bytes = 300 * kMiB;
  plans[1].source_largest_bytes = 3 * kMiB;
  EXPECT_EQ(2 * 31'457'280u + 35 * kMiB, native::held_bytes(plans));
  plans[0].source_view_bytes = 5 * kMiB;
  plans[0].source_largest_bytes = 2 * kMiB;
  EXPECT_EQ(2 * 31'457'280u + 24 * kMiB, native::held_bytes(plans));
}

// The inner one is of other streams than those that OLD has packed in the same way.
TEST(NestedViews, OfOneFileAlone) {
  expect_held(text_of(1), gzip_of(tar_of_jars(true)));
  expect_held(gzip_of(tar_of_jars(true)), text_of(1));
  expect_held(jar_of(false), gzip_of(jar_of(true)));
  expect_held(gzip_of(jar_of(false)), jar_of(true));
  expect_held(nested(false, 3), nested(true, 2));
  expect_held(nested(false, 1), nested(true, 3));
}

// Files that moved between archives are found by their names, joined.
TEST(NestedViews, MembersHaveJoinedNames) {
  const auto archive = [](bool next) {
    std::vector<ZipMember> jars;
    for (unsigned i = 0; i < 6; ++i) {
      const unsigned seed = next ? 5 - i : i;
      jars.push_back({"jar" + std::to_string(seed), jar_of(next, 300 + 10 * seed), 0});
    }
    return gzip_of(zip_of(jars));
  };
  const Bytes patch = expect_unpacked(archive(false), archive(true));
  EXPECT_GT(archive(true).size() / 20, patch.size());
}

TEST(NestedViews, ThatLieAreData) {
  Bytes source = gzip_of(tar_of_jars(false)), jar = jar_of(true);
  for (const std::size_t at : {std::size_t{30}, jar.size() / 2, jar.size() - 20, jar.size() - 5}) {
    Bytes bent = jar;
    bent[at] ^= 0x15;
    expect_held(source, gzip_of(tar_of({{"top/one.jar", 1'600'000'000, bent}, {"top/text", 1'600'000'000, text_of(7)}})));
  }
}

}  // namespace
}  // namespace bdelta::test::nested_views_test
