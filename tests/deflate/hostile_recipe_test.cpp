// Recipes that nobody wrote: each ends in an error or in a stream of the size that was said, and takes bounded work.
#include "deflate/round_trip.hpp"
#include "deflate/zlib_stream.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"
#include "support/guard_page.hpp"

namespace bdelta::test::hostile_recipe_test {
namespace {

using namespace bdelta::deflate;

struct Sample {
  Bytes raw;
  std::size_t packed_bytes = 0;
  Bytes recipe;
};

Sample sample_of(const Bytes& packed) {
  Analyser analyser;
  const auto analysis = analyser.analyse(packed);
  EXPECT_OK(analysis);
  RecipeWriter writer;
  EXPECT_TRUE(writer.add(analysis->recipe, analysis->sizes()));
  return {Bytes(analysis->stream.raw().begin(), analysis->stream.raw().end()), packed.size(), writer.finish()};
}

// Whether it came to a stream.
bool try_recipe(MatcherSet& matchers, ByteSpan recipe, const Sample& sample) {
  const GuardedBytes guarded(recipe);
  auto reader = RecipeReader::open(guarded.bytes());
  if (!reader) {
    EXPECT_EQ(ErrorCode::kPatchCorrupt, reader.error().code);
    return false;
  }
  const auto stream = reader->next({sample.raw.size(), sample.packed_bytes});
  if (!stream) {
    EXPECT_EQ(ErrorCode::kPatchCorrupt, stream.error().code);
    return false;
  }
  const auto made = rebuild(matchers, *stream, sample.raw, sample.packed_bytes);
  if (!made) {
    EXPECT_EQ(ErrorCode::kPatchCorrupt, made.error().code);
    return false;
  }
  EXPECT_EQ(sample.packed_bytes, made->size());
  return true;
}

std::vector<Sample> samples() {
  const Bytes raw = wordy_bytes(30'000, 1);
  std::vector<Sample> all;
  all.push_back(sample_of(zlib_deflate(raw, {.level = 1, .flush = Z_SYNC_FLUSH, .step_bytes = 2000})));
  all.push_back(sample_of(zlib_deflate(raw, {.level = 9, .memory = 3, .strategy = Z_FIXED})));
  all.push_back(sample_of(zlib_deflate(raw, {.level = 6, .flush = Z_BLOCK, .step_bytes = 500})));
  for (std::uint64_t seed = 0; seed < 6; ++seed) all.push_back(sample_of(odd_stream(seed)));
  return all;
}

TEST(HostileRecipe, ChangedBytes) {
  MatcherSet matchers;
  Random random(2);
  unsigned refused = 0;
  for (const Sample& sample : samples()) {
    ASSERT_TRUE(try_recipe(matchers, sample.recipe, sample));
    for (unsigned i = 0; i < 150; ++i) {
      Bytes recipe = sample.recipe;
      for (std::uint64_t n = random.between(1, 4); n > 0; --n) {
        recipe[random.below(recipe.size())] = static_cast<std::uint8_t>(random.next());
      }
      refused += try_recipe(matchers, recipe, sample) ? 0u : 1u;
    }
  }
  EXPECT_GT(refused, 300u);
}

TEST(HostileRecipe, CutShortAndMadeUp) {
  MatcherSet matchers;
  Random random(3);
  for (const Sample& sample : samples()) {
    for (std::size_t size = 0; size < sample.recipe.size(); size += 1 + size / 16) {
      try_recipe(matchers, ByteSpan(sample.recipe).first(size), sample);
    }
    for (unsigned i = 0; i < 60; ++i) {
      Bytes recipe = random_bytes(random.between(2, 61), random.next());
      recipe[0] = static_cast<std::uint8_t>(recipe.size() / 2);
      try_recipe(matchers, recipe, sample);
    }
  }
}

Status rebuild_status(const StreamRecipe& recipe, const Bytes& raw, std::size_t packed_bytes) {
  MatcherSet matchers;
  const auto made = rebuild(matchers, recipe, raw, packed_bytes);
  if (!made) return made.error();
  return {};
}

TEST(HostileRecipe, WhatDoesNotFitTheText) {
  const Bytes raw = bytes_of("abcabcabcabcabcabc the text of this test abcabc");
  const Bytes packed = zlib_deflate(raw, {});
  EXPECT_OK(rebuild_status({}, raw, packed.size()));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, rebuild_status({}, raw, packed.size() + 1));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, rebuild_status({}, raw, packed.size() - 1));
  StreamRecipe recipe;
  recipe.corrections = {{6, match_token(3, 7)}};  // before the start
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, rebuild_status(recipe, raw, packed.size()));
  recipe.corrections = {{3, match_token(3, 2)}};  // other bytes
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, rebuild_status(recipe, raw, packed.size()));
  recipe.corrections = {{46, match_token(3, 3)}};  // beyond the end
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, rebuild_status(recipe, raw, packed.size()));
  recipe.corrections = {{5, 0}};  // inside a match
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, rebuild_status(recipe, raw, packed.size()));
  recipe.corrections.clear();
  BlockDeviation deviation;
  deviation.type = BlockType::kFixed;
  recipe.deviations = {deviation};  // a first block that is not the last, and has all the text
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, rebuild_status(recipe, raw, packed.size()));
  recipe.deviations[0].last = true;
  recipe.deviations[0].size_is = BlockDeviation::Size::kTokens;
  recipe.deviations[0].size = 5;  // ends before the text does
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, rebuild_status(recipe, raw, packed.size()));
  recipe.deviations[0].size = 1000;  // more tokens than there is text
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, rebuild_status(recipe, raw, packed.size()));
  recipe.deviations[0].type = BlockType::kStored;
  recipe.deviations[0].size_is = BlockDeviation::Size::kRawBytes;  // longer than the text
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, rebuild_status(recipe, raw, packed.size()));
  recipe.deviations[0].blocks_before = 1;  // there is no second block
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, rebuild_status(recipe, raw, packed.size()));
}

TEST(HostileRecipe, AJointBehindTheLastBlock) {
  const Bytes raw = bytes_of("few bytes");
  StreamRecipe recipe;
  recipe.deviations.emplace_back();
  recipe.deviations[0].type = BlockType::kFixed;
  recipe.deviations[0].last = true;
  const Bytes packed = zlib_deflate(raw, {});
  EXPECT_OK(rebuild_status(recipe, raw, packed.size()));
  recipe.joints = {{raw.size(), JointKind::kContinue, JointMarker::kNone}};
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, rebuild_status(recipe, raw, packed.size()));
}

// What M does with these depends on bytes behind the text, or on streams that were made before.
TEST(HostileRecipe, ParametersThatNoEncoderHas) {
  Parameters greedy = zlib_parameters(1);
  greedy.ng = 1;
  Parameters four_bytes = zlib_parameters(6);
  four_bytes.hash = Hash::kKnuth;
  four_bytes.hash_bits = 16;
  for (Parameters parameters : {greedy, four_bytes}) {
    StreamRecipe recipe;
    recipe.parameters = parameters;
    EXPECT_FALSE(RecipeWriter().add(recipe, {100, 100}));
    recipe.parameters.ng = parameters.ng == 0 ? 1 : 0;
    EXPECT_TRUE(RecipeWriter().add(recipe, {100, 100}));
  }
}

// Each is refused at another place, behind what was already coded of it.
TEST(HostileRecipe, OneThatIsRefusedLeavesTheOthersAsTheyAre) {
  std::vector<StreamRecipe> refused(4);
  refused[0].parameters = zlib_parameters(1);
  refused[0].parameters.ng = 1;
  refused[1].parameters = zlib_parameters(9);
  refused[1].joints = {{10, JointKind::kContinue, JointMarker::kNone}, {1'000'000, JointKind::kContinue, JointMarker::kNone}};
  refused[2].parameters = zlib_parameters(3);
  refused[2].corrections = {{5, {}}, {1'000'000, {}}};
  refused[3].deviations.resize(2);
  refused[3].deviations[1].blocks_before = std::uint64_t{1} << 40;
  const auto recipe_of = [&](bool with_refused) {
    RecipeWriter writer;
    Analyser analyser;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const Bytes packed = odd_stream(seed);
      const auto analysis = analyser.analyse(packed);
      EXPECT_OK(analysis);
      EXPECT_TRUE(writer.add(analysis->recipe, analysis->sizes()));
      if (with_refused) {
        EXPECT_FALSE(writer.add(refused[seed % refused.size()], {1000, 1000})) << seed;
      }
    }
    return writer.finish();
  };
  EXPECT_TRUE(same_bytes(recipe_of(false), recipe_of(true)));
}

}  // namespace
}  // namespace bdelta::test::hostile_recipe_test
