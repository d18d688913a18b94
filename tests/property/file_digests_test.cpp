// Patches of packages: smaller by the digests, and the same NEW through every sink, cut and thread count.
#include "format/native/layout.hpp"
#include "support/craft.hpp"
#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/package.hpp"

namespace bdelta::test::file_digests_test {
namespace {

bool leaves_digests_out(const Bytes& patch) { return has_feature(patch, native::kFeatureFileDigests); }

PackageShape small_shape(unsigned file_count, unsigned seed) {
  PackageShape shape;
  shape.file_count = file_count;
  shape.seed = seed;
  return shape;
}

class PackageLevels : public ::testing::TestWithParam<int> {};

TEST_P(PackageLevels, LeaveDigestsOut) {
  const PackagePair pair = package_pair(small_shape(400, 1));
  const auto patch = make_patch(pair.old_version, pair.new_version, create_options(GetParam(), PatchFormat::kBdt2, 2));
  ASSERT_OK(patch);
  EXPECT_TRUE(leaves_digests_out(*patch));
  expect_rebuilt_everywhere(pair.old_version, *patch, pair.new_version);

  // Digests that are wrong can't be left out.
  Bytes spoiled = pair.new_version;
  for (const FileDigest& digest : pair.changed) spoiled[static_cast<std::size_t>(digest.text_pos) + 20] ^= 1;
  const auto with_digests = make_patch(pair.old_version, spoiled, create_options(GetParam()));
  ASSERT_OK(with_digests);
  EXPECT_FALSE(leaves_digests_out(*with_digests));
  EXPECT_LT(patch->size() + 150, with_digests->size());
}

INSTANTIATE_TEST_SUITE_P(Levels, PackageLevels, ::testing::Values(3, 6, 9, kUltraLevel));

TEST(Packages, FastLevelsLeaveNothingOut) {
  const PackagePair pair = package_pair();
  const auto patch = make_patch(pair.old_version, pair.new_version, create_options(2));
  ASSERT_OK(patch);
  EXPECT_FALSE(leaves_digests_out(*patch));
}

TEST(Packages, WindowsOfAnySize) {
  PackageShape shape = small_shape(30, 3);
  shape.reversed_list = true;
  const PackagePair pair = package_pair(shape);
  for (const bool with_sums : {false, true}) {
    for (const std::uint64_t window_bytes : {40u, 512u, 700u, 5000u, 1u << 20}) {
      Craft craft;
      craft.file_digests = pair.changed;
      if (with_sums) craft.header_sums = {{HeaderSumForm::kSixNulSpace, 0, pair.new_version.size() / kHeaderBlockBytes}};
      craft.window_bytes = window_bytes;
      craft.group_bytes = 3 * window_bytes + 1;
      const Covers covers = covers_of(pair.old_version, pair.new_version);
      expect_rebuilt_everywhere(pair.old_version, craft_patch(pair.old_version, pair.new_version, covers, craft),
                                pair.new_version);
    }
  }
}

// Copies without residual go straight from OLD to NEW, but for those with digests; what passes by is hashed all the same.
TEST(Packages, PlainWindowsAreCompletedToo) {
  const PackagePair pair = package_pair(small_shape(30, 4));
  const Bytes& target = pair.new_version;
  Bytes source = target;
  for (const FileDigest& digest : pair.changed) {
    std::fill_n(source.begin() + static_cast<std::ptrdiff_t>(digest.text_pos), FileDigest::kTextBytes, std::uint8_t{'A'});
  }
  Craft craft;
  craft.file_digests = pair.changed;
  craft.plans = {{{0, 3000, true, 0}, {3000, target.size() - 3000, true, 0}}};
  expect_rebuilt_everywhere(source, craft_patch(source, target, {{0, 0, target.size()}}, craft), target);
}

// Copies of NEW are of what windows give, not of what is filled in.
TEST(Packages, WithCopiesOfTheTarget) {
  const PackagePair pair = package_pair(small_shape(20, 5));
  const std::size_t half = pair.new_version.size();
  const FileDigest& last = pair.changed.back();
  Bytes target = pair.new_version;
  append(target, pair.new_version);
  // The second half has the first one's other bytes, as the copy gives them.
  for (const FileDigest& digest : pair.changed) {
    std::fill_n(target.begin() + static_cast<std::ptrdiff_t>(half + digest.text_pos), FileDigest::kTextBytes, std::uint8_t{'A'});
  }
  Craft craft;
  craft.file_digests = pair.changed;
  craft.window_bytes = 1000;
  craft.group_bytes = 1 << 20;
  Covers covers = covers_of(pair.old_version, pair.new_version);
  covers.push_back({pair.old_version.size(), half, half});
  const Bytes patch = craft_patch(pair.old_version, target, covers, craft);
  EXPECT_TRUE(has_feature(patch, native::kFeatureTargetCopies));
  EXPECT_LT(last.text_end(), half);
  expect_rebuilt_everywhere(pair.old_version, patch, target);
}

TEST(Packages, AnyThreadCountGivesTheSamePatch) {
  const PackagePair pair = package_pair(small_shape(300, 8));
  for (const int level : {3, 6, 9}) expect_same_patch_by_any_threads(pair.old_version, pair.new_version, level);
}

TEST(Packages, ThroughPush) {
  const PackagePair pair = package_pair(small_shape(150, 9));
  CreateOptions options = create_options(6);
  options.group_digests = true;
  const auto patch = make_patch(pair.old_version, pair.new_version, options);
  ASSERT_OK(patch);
  EXPECT_TRUE(leaves_digests_out(*patch));
  expect_rebuilt_in_pieces(pair.old_version, *patch, pair.new_version);
}

TEST(Packages, RecordAndFeatureBelongTogether) {
  const PackagePair pair = package_pair(small_shape(200, 10));
  const auto patch = make_patch(pair.old_version, pair.new_version, create_options(3));
  ASSERT_OK(patch);
  SplitPatch split = split_patch(*patch);
  ASSERT_EQ(static_cast<std::uint8_t>(native::RecordTag::kFileDigests), split.body[0]);
  split.header.required_features &= ~native::kFeatureFileDigests;
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, apply_patch(pair.old_version, with_header(split.header, split.body)));
  split = split_patch(*patch);
  split.header.decoder_memory_bytes = FileDigest::kHeldBytes - 1;
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, apply_patch(pair.old_version, with_header(split.header, split.body)));
}

}  // namespace
}  // namespace bdelta::test::file_digests_test
