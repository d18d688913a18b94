// Patches of archives: smaller by the checksums, and the same NEW through every sink, cut and thread count.
#include "format/native/layout.hpp"
#include "support/craft.hpp"
#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/signed_program.hpp"
#include "support/tar.hpp"

namespace bdelta::test::header_sums_test {
namespace {

bool leaves_sums_out(const Bytes& patch) { return has_feature(patch, native::kFeatureHeaderSums); }

class ArchiveLevels : public ::testing::TestWithParam<int> {};

TEST_P(ArchiveLevels, LeaveTheSumsOut) {
  const TarPair pair = tar_pair(300, 1);
  const auto patch = make_patch(pair.old_version, pair.new_version, create_options(GetParam(), PatchFormat::kBdt2, 2));
  ASSERT_OK(patch);
  EXPECT_TRUE(leaves_sums_out(*patch));
  expect_rebuilt_everywhere(pair.old_version, *patch, pair.new_version);

  // A header that is wrong between any two others leaves no stretch to name.
  std::vector<Bytes> spoiled = {pair.old_version, pair.new_version};
  for (Bytes& archive : spoiled) {
    unsigned header_count = 0;
    for (std::size_t pos = 0; pos < archive.size(); pos += kHeaderBlockBytes) {
      if (!is_sum_header(ByteSpan(archive).subspan(pos, kHeaderBlockBytes))) continue;
      if (header_count++ % 4 == 0) archive[pos + kHeaderSumAt] = '7';
    }
  }
  const auto with_sums = make_patch(spoiled[0], spoiled[1], create_options(GetParam()));
  ASSERT_OK(with_sums);
  EXPECT_FALSE(leaves_sums_out(*with_sums));
  EXPECT_LT(patch->size() + 150, with_sums->size());
}

INSTANTIATE_TEST_SUITE_P(Levels, ArchiveLevels, ::testing::Values(3, 6, 9, kUltraLevel));

TEST(Archives, FastLevelsLeaveNothingOut) {
  const TarPair pair = tar_pair(100, 2);
  const auto patch = make_patch(pair.old_version, pair.new_version, create_options(1));
  ASSERT_OK(patch);
  EXPECT_FALSE(leaves_sums_out(*patch));
}

TEST(Archives, WindowsOfAnySize) {
  const TarPair pair = tar_pair(30, 3);
  for (const std::uint64_t window_bytes : {100u, 512u, 700u, 5000u, 1u << 20}) {
    Craft craft;
    craft.header_sums = pair.spans();
    craft.window_bytes = window_bytes;
    craft.group_bytes = 3 * window_bytes + 1;
    const Covers covers = covers_of(pair.old_version, pair.new_version);
    expect_rebuilt_everywhere(pair.old_version, craft_patch(pair.old_version, pair.new_version, covers, craft),
                              pair.new_version);
  }
}

// Copies without residual go straight from OLD to NEW, but for stretches with headers.
TEST(Archives, PlainWindowsAreCompletedToo) {
  const TarPair pair = tar_pair(30, 4);
  const Bytes& target = pair.new_version;
  Bytes source = target;
  std::vector<std::uint8_t> before;
  for (std::size_t pos = 0; pos < source.size(); pos += kHeaderBlockBytes) {
    if (!is_sum_header(ByteSpan(source).subspan(pos, kHeaderBlockBytes))) continue;
    const std::vector<std::uint8_t> now(source.begin() + static_cast<std::ptrdiff_t>(pos + kHeaderSumAt),
                                        source.begin() + static_cast<std::ptrdiff_t>(pos + kHeaderSumAt + kHeaderSumBytes));
    if (!before.empty()) std::copy(before.begin(), before.end(), source.begin() + static_cast<std::ptrdiff_t>(pos + kHeaderSumAt));
    before = now;
  }
  Craft craft;
  craft.header_sums = pair.spans();
  craft.plans = {{{0, 3000, true, 0}, {3000, target.size() - 3000, true, 0}}};
  expect_rebuilt_everywhere(source, craft_patch(source, target, {{0, 0, target.size()}}, craft), target);
}

// Copies of NEW are of what windows give, not of what is filled in.
TEST(Archives, WithCopiesOfTheTarget) {
  const TarPair pair = tar_pair(20, 5);
  const std::size_t half = pair.new_version.size();
  Bytes target = pair.new_version;
  append(target, pair.new_version);
  Craft craft;
  craft.header_sums = {{HeaderSumForm::kSixNulSpace, 0, half / kHeaderBlockBytes}};
  craft.window_bytes = 1000;
  craft.group_bytes = 1 << 20;
  Covers covers = covers_of(pair.old_version, pair.new_version);
  covers.push_back({pair.old_version.size(), half, half});
  const Bytes patch = craft_patch(pair.old_version, target, covers, craft);
  EXPECT_TRUE(has_feature(patch, native::kFeatureTargetCopies));
  expect_rebuilt_everywhere(pair.old_version, patch, target);
}

// Lists of page digests are of what windows give, too, and are put in first.
TEST(Archives, WithASignedProgramBehind) {
  const TarPair pair = tar_pair(60, 6);
  const SignedPair programs = signed_pair(60'000, 7);
  Bytes source = pair.old_version;
  append(source, programs.old_version.bytes);
  Bytes target = pair.new_version;
  append(target, programs.new_version.bytes);
  const auto patch = make_patch(source, target, create_options(6));
  ASSERT_OK(patch);
  EXPECT_TRUE(leaves_sums_out(*patch));
  EXPECT_TRUE(has_feature(*patch, native::kFeaturePageHashes));
  expect_rebuilt_everywhere(source, *patch, target);
}

TEST(Archives, AnyThreadCountGivesTheSamePatch) {
  const TarPair pair = tar_pair(200, 8);
  for (const int level : {3, 6, 9}) expect_same_patch_by_any_threads(pair.old_version, pair.new_version, level);
}

TEST(Archives, ThroughPush) {
  const TarPair pair = tar_pair(80, 9);
  CreateOptions options = create_options(6);
  options.group_digests = true;
  const auto patch = make_patch(pair.old_version, pair.new_version, options);
  ASSERT_OK(patch);
  EXPECT_TRUE(leaves_sums_out(*patch));
  expect_rebuilt_in_pieces(pair.old_version, *patch, pair.new_version);
}

TEST(Archives, RecordAndFeatureBelongTogether) {
  const TarPair pair = tar_pair(50, 10);
  const auto patch = make_patch(pair.old_version, pair.new_version, create_options(3));
  ASSERT_OK(patch);
  SplitPatch split = split_patch(*patch);
  ASSERT_EQ(static_cast<std::uint8_t>(native::RecordTag::kHeaderSums), split.body[0]);
  split.header.required_features &= ~native::kFeatureHeaderSums;
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, apply_patch(pair.old_version, with_header(split.header, split.body)));
  split = split_patch(*patch);
  const Bytes without(split.body.begin() + 2 + split.body[1], split.body.end());
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, apply_patch(pair.old_version, with_header(split.header, without)));
  split.body[3] = 1;  // another form
  EXPECT_FAILS(ErrorCode::kTargetDigest, apply_patch(pair.old_version, with_header(split.header, split.body)));
}

}  // namespace
}  // namespace bdelta::test::header_sums_test
