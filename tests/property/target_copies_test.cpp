// Copies of NEW from what stands before in it: where a change has several places it is paid for once, and NEW comes
// back whatever cuts such copies.
#include "format/native/layout.hpp"
#include "support/craft.hpp"
#include "support/program_pair.hpp"
#include "support/renumbered.hpp"
#include "support/repeated.hpp"

namespace bdelta::test::target_copies_test {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

bool copies_target(const Bytes& patch) { return has_feature(patch, native::kFeatureTargetCopies); }

TEST(TargetCopies, PayForAChangeOnce) {
  const RepeatedPair pair = repeated_pair(60'000, 5000, 1);
  const auto without_last = [](const Bytes& file) {
    const std::size_t part = (file.size() - 2 * 5000) / 3;
    return Bytes(file.begin(), file.end() - static_cast<std::ptrdiff_t>(part));
  };
  for (const int level : {1, 2, 3, 5, 6, 9}) {
    SCOPED_TRACE(level);
    const auto all = make_patch(pair.old_version, pair.new_version, create_options(level));
    const auto two_thirds = make_patch(without_last(pair.old_version), without_last(pair.new_version), create_options(level));
    ASSERT_OK(all);
    ASSERT_OK(two_thirds);
    EXPECT_TRUE(copies_target(*all));
    EXPECT_LT(all->size(), two_thirds->size() + two_thirds->size() / 8 + 100) << "the last third is the first again";
    expect_rebuilt_everywhere(pair.old_version, *all, pair.new_version);
    EXPECT_EQ(0u, info_of(*all).history_bytes) << "one window";
  }
}

// Of several windows.
TEST(TargetCopies, DontDependOnThreads) {
  const RepeatedPair pair = repeated_pair(2'200'000, 100'000, 2);
  for (const int level : {1, 3}) {
    SCOPED_TRACE(level);
    const Bytes patch = expect_same_patch_by_any_threads(pair.old_version, pair.new_version, level);
    EXPECT_TRUE(copies_target(patch));
    const PatchInfo info = info_of(patch);
    EXPECT_GT(info.history_bytes, 2'000'000u);
    EXPECT_LT(info.history_bytes, pair.new_version.size());
    EXPECT_GT(info.decoder_memory_bytes, info.history_bytes);
    expect_rebuilt_everywhere(pair.old_version, patch, pair.new_version);
  }
}

TEST(TargetCopies, AreLeftOutWhereTheyHaveNoPlace) {
  const RepeatedPair pair = repeated_pair(40'000, 3000, 3);
  expect_round_trip(pair.old_version, pair.new_version, create_options(6, PatchFormat::kBdt1));
  RepeatedPair large = pair;
  append_ballast(large.old_version, large.new_version);
  CreateOptions scarce = create_options(6);
  scarce.memory_limit_bytes = 64 * kMiB;
  const auto patch = make_patch(large.old_version, large.new_version, scarce);
  ASSERT_OK(patch);
  EXPECT_FALSE(copies_target(*patch));
  expect_rebuilt(large.old_version, *patch, large.new_version);
}

// Windows without programs copy of NEW, whatever is predicted in others.
TEST(TargetCopies, GoWithPrediction) {
  ProgramPair programs = program_pair(11, 60);
  const RepeatedPair pair = repeated_pair(20'000, 500, 4);
  append(programs.old_version, pair.old_version);
  append(programs.new_version, pair.new_version);
  for (const int level : {3, 6, 9}) {
    const auto patch = make_patch(programs.old_version, programs.new_version, create_options(level));
    ASSERT_OK(patch);
    EXPECT_TRUE(has_feature(*patch, native::kFeaturePrediction)) << level;
    EXPECT_TRUE(copies_target(*patch) || level == 9) << level;  // modelled bytes may do better
    expect_rebuilt_everywhere(programs.old_version, *patch, programs.new_version);
  }
}

TEST(TargetCopies, GoWithSubstitutions) {
  RenumberedPair pair = renumbered_pair(1200, 30, 8);
  const RepeatedPair repeated = repeated_pair(60'000, 500, 5);
  append(pair.old_version, repeated.old_version);
  append(pair.new_version, repeated.new_version);
  const auto patch = make_patch(pair.old_version, pair.new_version, create_options(6));
  ASSERT_OK(patch);
  EXPECT_TRUE(copies_target(*patch));
  EXPECT_TRUE(has_record(*patch, native::RecordTag::kSubstitutions));
  expect_rebuilt_everywhere(pair.old_version, *patch, pair.new_version);
}

// Modelled misses learn of substitutions as they go, but rule copies of NEW out: where these do better, substitutions
// come back.
TEST(TargetCopies, GoWithSubstitutionsInPlaceOfModelledMisses) {
  RenumberedPair pair = renumbered_pair(12'000, 300, 8);
  const RepeatedPair repeated = repeated_pair(350'000, 1000, 5);
  append(pair.old_version, repeated.old_version);
  append(pair.new_version, repeated.new_version);
  const auto ultra = make_patch(pair.old_version, pair.new_version, create_options(kUltraLevel));
  const auto high = make_patch(pair.old_version, pair.new_version, create_options(9));
  ASSERT_OK(ultra);
  ASSERT_OK(high);
  EXPECT_TRUE(copies_target(*ultra));
  EXPECT_TRUE(has_record(*ultra, native::RecordTag::kSubstitutions));
  EXPECT_LE(ultra->size(), high->size() + high->size() / 64);
  expect_rebuilt_everywhere(pair.old_version, *ultra, pair.new_version);
}

// The folders in which a package has its modules once for each way to load them may be far apart, and so in two groups.
TEST(TargetCopies, ReachOver40Megabytes) {
  constexpr std::size_t kModules = 40;
  constexpr std::size_t kModuleBytes = 10'000;
  const Bytes old_version = random_bytes(42'000'000, 11);
  const Bytes modules = random_bytes(kModules * kModuleBytes, 12);
  const ByteSpan folder = ByteSpan(old_version).first(kModules * 20'000);
  Bytes new_version;
  const auto append_modules = [&](ByteSpan beside) {
    for (std::size_t i = 0; i < kModules; ++i) {
      append(new_version, beside.subspan(i * 20'000, 20'000));
      append(new_version, ByteSpan(modules).subspan(i * kModuleBytes, kModuleBytes));
    }
  };
  append_modules(folder);
  const std::size_t front = new_version.size();
  append(new_version, ByteSpan(old_version).subspan(folder.size(), old_version.size() - 2 * folder.size()));
  for (std::size_t pos = front; pos < new_version.size(); pos += 50'000) new_version[pos] ^= 1;
  append_modules(ByteSpan(old_version).last(folder.size()));
  const auto patch = make_patch(old_version, new_version, create_options(3));
  ASSERT_OK(patch);
  EXPECT_LT(patch->size(), modules.size() + modules.size() / 16);
  expect_rebuilt(old_version, *patch, new_version);
}

// With bytes that differ in them, cut by windows and groups of any size, and made of copies of NEW themselves.
TEST(CraftedTargetCopies, ComeBackFromWindowsOfAnySize) {
  for (const std::uint64_t window_bytes : {7u, 64u, 700u, 5000u, 1u << 20}) {
    for (const std::uint64_t reach : {150u, 3000u, 1u << 20}) {
      for (const bool model : {false, true}) {
        SCOPED_TRACE(::testing::Message() << window_bytes << ' ' << reach << ' ' << model);
        const SelfCopied pair = self_copied(20'000, reach, window_bytes + reach);
        Craft craft;
        craft.window_bytes = window_bytes;
        craft.group_bytes = 3 * window_bytes + 1;
        craft.model = model;
        const Bytes patch = craft_patch(pair.source, pair.target, pair.covers, craft);
        EXPECT_TRUE(copies_target(patch));
        EXPECT_LE(info_of(patch).history_bytes, std::min<std::uint64_t>(reach + 90, pair.target.size()));
        expect_rebuilt_everywhere(pair.source, patch, pair.target);
      }
    }
  }
}

// Modelled bytes are not for windows with such copies, also if they are asked for.
TEST(CraftedTargetCopies, HaveNoModelledBytes) {
  const SelfCopied pair = self_copied(20'000, 5000, 6);
  Craft craft;
  craft.modelled_literals = craft.modelled_misses = craft.model = true;
  craft.codec = {CodecId::kLzma, 6, 0};
  const Bytes patch = craft_patch(pair.source, pair.target, pair.covers, craft);
  EXPECT_EQ(native::kFeatureTargetCopies, info_of(patch).required_features);
  expect_rebuilt_everywhere(pair.source, patch, pair.target);
}

TEST(CraftedTargetCopies, KeepTheSubstitutionsOfWhatTheyCopy) {
  const SelfCopied pair = self_copied(20'000, 20'000, 7);
  std::vector<Substitution> changes;
  for (std::uint8_t i = 0; i < 26; ++i) changes.push_back({pattern_key(0x20202000u + 'a' + i), 0x41414141});
  for (const std::uint64_t window_bytes : {61u, 4096u}) {
    Craft craft;
    craft.window_bytes = window_bytes;
    craft.substitutions.emplace(changes);
    expect_rebuilt_everywhere(pair.source, craft_patch(pair.source, pair.target, pair.covers, craft), pair.target);
  }
}

}  // namespace
}  // namespace bdelta::test::target_copies_test
