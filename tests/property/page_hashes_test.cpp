// Patches of signed programs: smaller by the list, and the same NEW through every sink, cut and thread count.
#include "format/native/layout.hpp"
#include "support/craft.hpp"
#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/signed_program.hpp"

namespace bdelta::test::page_hashes_test {
namespace {

class SignedLevels : public ::testing::TestWithParam<int> {};

TEST_P(SignedLevels, LeaveTheListOut) {
  const SignedPair pair = signed_pair(300'000, 1);
  const Bytes& source = pair.old_version.bytes;
  const Bytes& target = pair.new_version.bytes;
  const auto patch = make_patch(source, target, create_options(GetParam(), PatchFormat::kBdt2, 2));
  ASSERT_OK(patch);
  EXPECT_TRUE(has_feature(*patch, native::kFeaturePageHashes));
  expect_rebuilt_everywhere(source, *patch, target);

  CreateOptions plain = create_options(GetParam());
  plain.predict = false;
  const auto with_list = make_patch(source, target, plain);
  ASSERT_OK(with_list);
  EXPECT_FALSE(has_feature(*with_list, native::kFeaturePageHashes));
  EXPECT_LT(patch->size() + pair.new_version.list.list_bytes() / 10 * 9, with_list->size());
}

INSTANTIATE_TEST_SUITE_P(Levels, SignedLevels, ::testing::Values(3, 6, 9, kUltraLevel));

TEST(Signed, WindowsOfAnySize) {
  const SignedPair pair = signed_pair(40'000, 2);
  for (const std::uint64_t window_bytes : {100u, 4096u, 5000u, 1u << 20}) {
    Craft craft;
    craft.page_hashes = {pair.new_version.list};
    craft.window_bytes = window_bytes;
    craft.group_bytes = 3 * window_bytes + 1;
    const Bytes& source = pair.old_version.bytes;
    const Bytes& target = pair.new_version.bytes;
    expect_rebuilt_everywhere(source, craft_patch(source, target, covers_of(source, target), craft), target);
  }
}

// Copies without residual go straight from OLD to NEW, but for where a list is put in.
TEST(Signed, PlainWindowsAreCompletedToo) {
  const Bytes target = signed_program(wordy_bytes(40'000, 3)).bytes;
  const PageHashes list = signed_program(wordy_bytes(40'000, 3)).list;
  Bytes source = target;
  std::fill_n(source.begin() + static_cast<std::ptrdiff_t>(list.list_pos), list.list_bytes(), std::uint8_t{0});
  Craft craft;
  craft.page_hashes = {list};
  craft.plans = {{{0, 30'000, true, 0}, {30'000, target.size() - 30'000, true, 0}}};
  expect_rebuilt_everywhere(source, craft_patch(source, target, {{0, 0, target.size()}}, craft), target);
}

TEST(Signed, ThroughPush) {
  const SignedPair pair = signed_pair(100'000, 4);
  CreateOptions options = create_options(6);
  options.group_digests = true;
  const auto patch = make_patch(pair.old_version.bytes, pair.new_version.bytes, options);
  ASSERT_OK(patch);
  EXPECT_TRUE(has_feature(*patch, native::kFeaturePageHashes));
  expect_rebuilt_in_pieces(pair.old_version.bytes, *patch, pair.new_version.bytes);
}

TEST(Signed, AnotherPageThanPromisedIsNoticed) {
  const SignedPair pair = signed_pair(60'000, 5);
  const auto patch = make_patch(pair.old_version.bytes, pair.new_version.bytes, create_options(3));
  ASSERT_OK(patch);
  SplitPatch split = split_patch(*patch);
  ASSERT_EQ(static_cast<std::uint8_t>(native::RecordTag::kPageHashes), split.body[0]);
  ASSERT_EQ(12, split.body[4]);
  split.body[4] = 13;  // pages of twice the size: fewer digests, and others
  EXPECT_FAILS(ErrorCode::kTargetDigest, apply_patch(pair.old_version.bytes, with_header(split.header, split.body)));
}

TEST(Signed, RecordAndFeatureBelongTogether) {
  const SignedPair pair = signed_pair(60'000, 6);
  const auto patch = make_patch(pair.old_version.bytes, pair.new_version.bytes, create_options(3));
  ASSERT_OK(patch);
  SplitPatch split = split_patch(*patch);
  split.header.required_features &= ~native::kFeaturePageHashes;
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, apply_patch(pair.old_version.bytes, with_header(split.header, split.body)));
  split = split_patch(*patch);
  const Bytes without(split.body.begin() + 2 + split.body[1], split.body.end());
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, apply_patch(pair.old_version.bytes, with_header(split.header, without)));
}

}  // namespace
}  // namespace bdelta::test::page_hashes_test
