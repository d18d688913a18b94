// Patches of gzip files: of what is inside, and NEW comes out bit by bit.
#include "property/view_pairs.hpp"
#include "support/package.hpp"
#include "support/tar.hpp"

namespace bdelta::test::gzip_views_test {
namespace {

using namespace view_pairs;

TEST(GzipViews, AreSmallAtEveryLevelOfBoth) {
  const Bytes text = text_of(1, 60'000);
  for (const int packing : {1, 3, 6, 9}) {
    for (const int level : {1, 3, 6, 9}) {
      SCOPED_TRACE(std::to_string(packing) + " " + std::to_string(level));
      expect_unpacked(gzip_of(text, packing), gzip_of(changed(text), packing), level);
    }
  }
}

TEST(GzipViews, SeveralMembers) {
  Bytes source, target;
  for (unsigned i = 0; i < 5; ++i) {
    const Bytes text = text_of(10 + i);
    append(source, gzip_of(text, 6, {.name = "part" + std::to_string(i)}));
    append(target, gzip_of(changed(text), 6, {.name = "part" + std::to_string(i)}));
  }
  const Bytes patch = expect_unpacked(source, target);
  EXPECT_EQ(5u, view_plan_of(patch).target_count);
  EXPECT_EQ(5u, view_plan_of(patch).source_count);
}

TEST(GzipViews, AllFieldsOfTheHead) {
  const GzipHead all = {"name", "a comment", random_bytes(300, 1), true};
  const Bytes text = text_of(2);
  expect_unpacked(gzip_of(text, 6, all), gzip_of(changed(text), 6, all));
  expect_unpacked(gzip_of(text), gzip_of(changed(text), 6, all));
  GzipHead long_name;
  long_name.name = std::string(1023, 'n');
  expect_unpacked(gzip_of(text, 6, long_name), gzip_of(changed(text), 6, long_name));
}

TEST(GzipViews, WhatStandsBehindStays) {
  const Bytes text = text_of(3);
  Bytes source = gzip_of(text), target = gzip_of(changed(text));
  append(source, random_bytes(700, 1));
  append(target, random_bytes(900, 1));
  const Bytes patch = expect_unpacked(source, target);
  EXPECT_EQ(1u, view_plan_of(patch).target_count);
}

TEST(GzipViews, MembersWithoutBytes) {
  Bytes source, target;
  for (unsigned i = 0; i < 4; ++i) {
    const Bytes text = i % 2 == 0 ? Bytes() : text_of(i);
    append(source, gzip_of(text));
    append(target, gzip_of(changed(text)));
  }
  append(target, gzip_of({}));
  expect_unpacked(source, target);
}

// A tar archive begins behind the head of its gzip file.
TEST(GzipViews, ArchivesInsideAreLookedInto) {
  const TarPair tars = tar_pair(300, 1);
  const GzipHead head = {.name = "app.tar"};
  const Bytes patch = expect_unpacked(gzip_of(tars.old_version), gzip_of(tars.new_version, 6, head), 3);
  EXPECT_TRUE(has_fills(patch, FillShape::kTarHeaders));
  expect_unpacked(tars.old_version, gzip_of(tars.new_version), 3);

  PackageShape shape;
  shape.file_count = 60;
  shape.reversed_list = true;
  const PackagePair packages = package_pair(shape);
  const Bytes source = gzip_of(packages.old_version), target = gzip_of(packages.new_version, 6, head);
  const Bytes of_views = expect_unpacked(source, target, 9);
  EXPECT_TRUE(has_fills(of_views, FillShape::kWhole));
  const auto plain = make_patch(packages.old_version, packages.new_version, create_options(9));
  ASSERT_OK(plain);
  EXPECT_LT(of_views.size(), plain->size() + 100);
}

TEST(GzipViews, OneFileAloneIsPacked) {
  const Bytes text = text_of(4);
  expect_held(text, gzip_of(changed(text)));
  const auto patch = make_patch(text, gzip_of(changed(text)), create_options(3));
  ASSERT_OK(patch);
  EXPECT_EQ(0u, view_plan_of(*patch).source_count);
  expect_rebuilt_everywhere(text, *patch, gzip_of(changed(text)));
  expect_rebuilt_in_pieces(text, *patch, gzip_of(changed(text)));
  expect_left_packed(gzip_of(text), changed(text));
  expect_left_packed(gzip_of(text), {});
  expect_held({}, gzip_of(text));
}

}  // namespace
}  // namespace bdelta::test::gzip_views_test
