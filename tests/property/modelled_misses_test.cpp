// Misses by their model (levels 8, 9 and above): NEW comes back whatever the windows, groups and what else the patch has;
// a patch that lies about them is refused; and they are taken where they are worth their time.
#include "base/byte_cursor.hpp"
#include "format/native/layout.hpp"
#include "support/craft.hpp"
#include "support/generate.hpp"
#include "support/program_pair.hpp"

namespace bdelta::test::modelled_misses_test {
namespace {

constexpr std::uint64_t kModelledMisses = native::kFeatureModelledMisses;

struct BentPair {
  Bytes source;
  Bytes target;
};

// Of bytes of sixteen values certain pairs change the byte behind them: too many words to tell one by one.
BentPair bent_pair(std::size_t size, std::uint64_t seed) {
  BentPair pair{random_bytes(size, seed), {}};
  for (std::uint8_t& byte : pair.source) byte &= 15;
  pair.target = pair.source;
  for (std::size_t i = 2; i < size; ++i) {
    if ((pair.source[i - 2] * 31 + pair.source[i - 1] * 7) % 61 == 3) ++pair.target[i];
  }
  return pair;
}

// The same with new words in between.
BentPair grown_pair(std::size_t size, std::uint64_t seed) {
  BentPair pair = bent_pair(size, seed);
  const Bytes words = wordy_bytes(size / 5, seed + 1);
  pair.target.insert(pair.target.begin() + static_cast<std::ptrdiff_t>(size / 3), words.begin(), words.end());
  return pair;
}

TEST(ModelledMisses, AnyWindowsAndGroupsComeBack) {
  const BentPair pair = grown_pair(30'000, 1);
  const Covers covers = covers_of(pair.source, pair.target);
  Craft craft;
  craft.modelled_misses = true;
  for (const std::uint64_t window_bytes : {300u, 4096u, 1u << 20}) {
    for (const bool model : {false, true}) {
      for (const bool literals : {false, true}) {
        for (const bool covers_apart : {false, true}) {
          craft.model = model;
          craft.modelled_literals = literals;
          craft.covers_apart = covers_apart;
          craft.window_bytes = window_bytes;
          const bool two_lanes = window_bytes == 300 || (window_bytes == 4096 && !literals);
          craft.lane_bytes = two_lanes ? 0 : 1 << 20;
          craft.group_bytes = window_bytes * 7;
          SCOPED_TRACE(::testing::Message() << window_bytes << ' ' << model << ' ' << literals << ' ' << covers_apart);
          const Bytes patch = craft_patch(pair.source, pair.target, covers, craft);
          const bool few_are_packed = model && window_bytes == 300;  // smaller, of so few misses in a group
          EXPECT_EQ(!few_are_packed, has_feature(patch, kModelledMisses));
          EXPECT_EQ(literals, has_feature(patch, native::kFeatureModelledLiterals));
          expect_rebuilt_everywhere(pair.source, patch, pair.target);
        }
      }
    }
  }
}

TEST(ModelledMisses, AreOfLevelsEightAndNine) {
  const BentPair pair = bent_pair(200'000, 3);
  std::size_t bytes_at_seven = 0;
  for (const int level : {3, 6, 7, 8, 9}) {
    const auto patch = make_patch(pair.source, pair.target, create_options(level));
    ASSERT_OK(patch);
    EXPECT_EQ(level >= 8, has_feature(*patch, kModelledMisses)) << level;
    if (level == 7) bytes_at_seven = patch->size();
    if (level > 7) {
      EXPECT_LT(patch->size() * 10, bytes_at_seven * 8) << level;
    }
    expect_rebuilt_everywhere(pair.source, *patch, pair.target);
  }
}

// All of one value: numbers in the context coder are then the smaller ones, which a level that knows both finds out.
TEST(ModelledMisses, OfAFewAreNoLargerThanNumbers) {
  const Bytes source = random_bytes(2'400'000, 51);
  Bytes target = source;
  for (std::size_t i = 0; i < 24; ++i) ++target[2'200'000 + i * i * 340];
  const auto seven = make_patch(source, target, create_options(7));
  const auto eight = make_patch(source, target, create_options(8));
  ASSERT_OK(seven);
  ASSERT_OK(eight);
  EXPECT_LE(eight->size(), seven->size());
}

TEST(ModelledMisses, OfProgramsComeBack) {
  const ProgramPair pair = program_pair(5, 3000);
  Bytes target = pair.new_version;
  for (std::size_t i = 500; i < target.size(); i += 97) target[i] = static_cast<std::uint8_t>(target[i] + target[i - 1]);
  const auto patch = make_patch(pair.old_version, target, create_options(9));
  ASSERT_OK(patch);
  EXPECT_TRUE(has_feature(*patch, kModelledMisses));
  expect_rebuilt_everywhere(pair.old_version, *patch, target);
}

TEST(ModelledMisses, WhereMemoryIsScarceThereAreNone) {
  BentPair pair = bent_pair(100'000, 4);
  append_ballast(pair.source, pair.target);
  CreateOptions options = create_options(9);
  options.memory_limit_bytes = std::uint64_t{64} << 20;
  const auto patch = make_patch(pair.source, pair.target, options);
  ASSERT_OK(patch);
  EXPECT_FALSE(has_feature(*patch, kModelledMisses));
}

TEST(ModelledMisses, ThreadsDontChangeThePatch) {
  const BentPair pair = grown_pair(300'000, 5);
  const auto one = make_patch(pair.source, pair.target, create_options(9, PatchFormat::kBdt2, 1));
  ASSERT_OK(one);
  EXPECT_TRUE(has_feature(*one, kModelledMisses));
  for (const unsigned threads : {2u, 5u}) {
    const auto more = make_patch(pair.source, pair.target, create_options(9, PatchFormat::kBdt2, threads));
    ASSERT_OK(more);
    EXPECT_TRUE(same_bytes(*one, *more)) << threads;
  }
}

TEST(ModelledMisses, NeedTheirFeature) {
  const BentPair pair = bent_pair(100'000, 6);
  const auto patch = make_patch(pair.source, pair.target, create_options(9));
  ASSERT_OK(patch);
  SplitPatch split = split_patch(*patch);
  ASSERT_NE(0u, split.header.required_features & kModelledMisses);
  split.header.required_features &= ~kModelledMisses;
  EXPECT_FAILS(ErrorCode::kUnsupportedFeature, apply_patch(pair.source, with_header(split.header, split.body)));
}

// The head of the only group: form, model byte, number of the miss model, its log.
TEST(ModelledMisses, ScopesThatLieAreRefused) {
  const BentPair pair = bent_pair(20'000, 7);
  Craft craft;
  craft.modelled_misses = true;
  craft.group_bytes = craft.window_bytes = 1 << 20;
  const SplitPatch split = split_patch(craft_patch(pair.source, pair.target, covers_of(pair.source, pair.target), craft));
  ByteCursor cursor(ByteSpan(split.body).subspan(1));
  for (int i = 0; i < 3; ++i) (void)cursor.varint();
  const auto log_at = static_cast<std::size_t>(cursor.position() - split.body.data()) + 3;
  ASSERT_EQ(kMinMissLog, split.body[log_at]);
  const auto bent = [&](std::size_t at, unsigned value) {
    Bytes body = split.body;
    body[at] = static_cast<std::uint8_t>(value);
    return apply_patch(pair.source, with_header(split.header, body));
  };
  ASSERT_OK(bent(log_at, kMinMissLog));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, bent(log_at, kMinMissLog - 1));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, bent(log_at, kMaxMissLog + 1));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, bent(log_at, kMaxMissLog));  // beyond the declared memory
  EXPECT_FAILS(ErrorCode::kUnsupportedFeature, bent(log_at - 1, 2));  // a model that is reserved
}

}  // namespace
}  // namespace bdelta::test::modelled_misses_test
