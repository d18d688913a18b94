// Substitutions as the tool finds them: where they pay, and nowhere else.
#include "format/native/layout.hpp"
#include "support/craft.hpp"
#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/program_pair.hpp"
#include "support/renumbered.hpp"

namespace bdelta::test::substitutions_test {
namespace {

bool has_substitutions(const Bytes& patch) { return has_record(patch, native::RecordTag::kSubstitutions); }

class SubstitutionLevels : public ::testing::TestWithParam<int> {};

TEST_P(SubstitutionLevels, NumbersAreToldOnce) {
  const RenumberedPair pair = renumbered_pair(6000, 100, 1);
  const auto patch = make_patch(pair.old_version, pair.new_version, create_options(GetParam()));
  ASSERT_OK(patch);
  EXPECT_TRUE(has_substitutions(*patch));
  expect_rebuilt_everywhere(pair.old_version, *patch, pair.new_version);
  const auto scrambled = make_patch(pair.old_version, pair.scrambled, create_options(GetParam()));
  ASSERT_OK(scrambled);
  EXPECT_LT(patch->size() * 10, scrambled->size());
  expect_rebuilt_everywhere(pair.old_version, *scrambled, pair.scrambled);
}

TEST_P(SubstitutionLevels, NoneWhereNothingIsRenumbered) {
  const Bytes source = wordy_bytes(100'000, 3);
  const Bytes target = edited(source, random_edits(30, source.size(), 200, 4));
  const auto patch = make_patch(source, target, create_options(GetParam()));
  ASSERT_OK(patch);
  EXPECT_FALSE(has_substitutions(*patch));
  const auto same = make_patch(source, source, create_options(GetParam()));
  ASSERT_OK(same);
  EXPECT_FALSE(has_substitutions(*same));
}

INSTANTIATE_TEST_SUITE_P(Levels, SubstitutionLevels, ::testing::Values(3, 6, 9));

// What codes misses learns of numbers as it goes.
TEST(Renumbered, UltraDoesWithoutSubstitutions) {
  const RenumberedPair pair = renumbered_pair(25'000, 900, 2);
  const auto patch = make_patch(pair.old_version, pair.new_version, create_options(kUltraLevel));
  ASSERT_OK(patch);
  EXPECT_FALSE(has_substitutions(*patch));
  expect_rebuilt(pair.old_version, *patch, pair.new_version);
}

TEST(Renumbered, AnyThreadsMakeTheSamePatch) {
  const RenumberedPair pair = renumbered_pair(80'000, 3000, 2);  // of several pieces
  EXPECT_TRUE(has_substitutions(expect_same_patch_by_any_threads(pair.old_version, pair.new_version, 6)));
}

TEST(Renumbered, EditedToo) {
  RenumberedPair pair = renumbered_pair(6000, 100, 3);
  const std::size_t size = pair.new_version.size();
  pair.new_version = edited(std::move(pair.new_version), random_edits(40, size, 300, 5));
  const auto patch = make_patch(pair.old_version, pair.new_version, create_options(6));
  ASSERT_OK(patch);
  EXPECT_TRUE(has_substitutions(*patch));
  expect_rebuilt_everywhere(pair.old_version, *patch, pair.new_version);
}

// Substitutions are those of the whole, which is then not at hand.
TEST(Renumbered, WithoutSubstitutionsWhereMemoryIsScarce) {
  RenumberedPair pair = renumbered_pair(6000, 100, 1);
  append_ballast(pair.old_version, pair.new_version);
  CreateOptions options = create_options(6);
  options.memory_limit_bytes = std::uint64_t{64} << 20;
  const auto patch = make_patch(pair.old_version, pair.new_version, options);
  ASSERT_OK(patch);
  EXPECT_FALSE(has_substitutions(*patch));
  expect_rebuilt_everywhere(pair.old_version, *patch, pair.new_version);
}

TEST(Renumbered, VersionOneHasNoSubstitutions) {
  const RenumberedPair pair = renumbered_pair(500, 20, 1);
  expect_round_trip(pair.old_version, pair.new_version, create_options(6, PatchFormat::kBdt1));
}

// A program and numbers behind it: fields are predicted, then substitutions made.
TEST(Renumbered, BesidePrediction) {
  const RenumberedPair pair = renumbered_pair(4000, 80, 6);
  ProgramPair programs = program_pair(11, 60);
  append(programs.old_version, pair.old_version);
  append(programs.new_version, pair.new_version);
  for (const int level : {3, 6}) {
    const auto patch = make_patch(programs.old_version, programs.new_version, create_options(level));
    ASSERT_OK(patch);
    EXPECT_TRUE(has_feature(*patch, native::kFeaturePrediction)) << level;
    EXPECT_TRUE(has_substitutions(*patch)) << level;
    expect_rebuilt_everywhere(programs.old_version, *patch, programs.new_version);
  }
}

TEST(Renumbered, GroupDigestsCountTheRecord) {
  const RenumberedPair pair = renumbered_pair(3000, 50, 7);
  CreateOptions options = create_options(6);
  options.group_digests = true;
  const auto patch = make_patch(pair.old_version, pair.new_version, options);
  ASSERT_OK(patch);
  EXPECT_TRUE(has_record(*patch, native::RecordTag::kDigests));
  EXPECT_TRUE(has_substitutions(*patch));
  expect_rebuilt_everywhere(pair.old_version, *patch, pair.new_version);
}

}  // namespace
}  // namespace bdelta::test::substitutions_test
