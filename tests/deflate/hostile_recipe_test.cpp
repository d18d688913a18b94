// Recipes that nobody wrote: each ends in an error or in a stream of the size that was said, and takes bounded work.
#include "deflate/round_trip.hpp"
#include "deflate/zlib_stream.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"
#include "support/guard_page.hpp"
#include "support/own_deflate.hpp"
#include "support/rebuild.hpp"
#include "support/tar.hpp"
#include "view/deflate/guesses.hpp"

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
  for (const unsigned level : {1u, 3u, 6u}) {
    const ByteSpan text = ByteSpan(raw).first(9000);
    if (level != 1) all.push_back(sample_of(own_deflate(text, two_hash_parameters(4 + level / 3), {{300, JointKind::kReset, JointMarker::kStored}})));
    all.push_back(sample_of(own_deflate(text, go_parameters(level), {{100, JointKind::kContinue, JointMarker::kStored},
                                                                     {4000, JointKind::kReset, JointMarker::kStored},
                                                                     {7000, JointKind::kClear, JointMarker::kStored}})));
  }
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

// Only what is fed can be fed as an archive is, and only where it counts what comes in.
TEST(HostileRecipe, PiecesOfOthers) {
  const auto can_be_written = [](unsigned ng, std::uint32_t feed_bytes, Search search) {
    StreamRecipe recipe;
    recipe.parameters.hash = Hash::kKnuth;
    recipe.parameters.hash_bits = 16;
    recipe.parameters.search = search;
    recipe.parameters.ng = static_cast<std::uint8_t>(ng);
    recipe.parameters.feed_bytes = feed_bytes;
    return RecipeWriter().add(recipe, {100, 100});
  };
  for (const std::uint32_t feed_bytes : {0u, 1u, 8u, 299u, 300u, 1u << 24}) {
    EXPECT_TRUE(can_be_written(2, feed_bytes, Search::kMedium));
    EXPECT_EQ(feed_bytes == 0 || feed_bytes >= 300, can_be_written(1, feed_bytes, Search::kMedium));
    EXPECT_FALSE(can_be_written(2, feed_bytes, Search::kLazy));
    EXPECT_FALSE(can_be_written(3, feed_bytes, Search::kMedium));
  }
  EXPECT_FALSE(can_be_written(2, (1u << 24) + 1, Search::kMedium));
}

// What is no archive, and archives that end anywhere, say nothing that a matcher may not bear.
TEST(HostileRecipe, PiecesOfWhatIsNoArchive) {
  std::vector<Bytes> texts = {random_bytes(5000, 3), Bytes(5000), Bytes(5000, '7')};
  const Bytes archive = tar_of({{"one", 0, wordy_bytes(700, 4)}, {"two", 0, wordy_bytes(900, 5)}});
  for (std::size_t size = 1; size < archive.size(); size += 61) texts.push_back(Bytes(archive.begin(), archive.begin() + static_cast<std::ptrdiff_t>(size)));
  for (const Bytes& text : texts) {
    StreamRecipe recipe;
    recipe.parameters.hash = Hash::kKnuth;
    recipe.parameters.hash_bits = 16;
    recipe.parameters.search = Search::kMedium;
    recipe.parameters.ng = 2;
    recipe.parameters.feed_bytes = 1;
    const Bytes packed = own_deflate(text, recipe.parameters);
    MatcherSet matchers;
    const GuardedBytes guarded(text);
    const auto made = rebuild(matchers, recipe, guarded.bytes(), packed.size());
    ASSERT_OK(made);
    EXPECT_TRUE(same_bytes(packed, *made));
    const auto read = zlib_inflate(packed);
    ASSERT_TRUE(read.has_value());
    EXPECT_TRUE(same_bytes(text, read->raw));
  }
}

// The instruction that makes the CRC is taken with one size of table, and none of zlib-ng's rules.
TEST(HostileRecipe, CrcsWithRulesOfOthers) {
  const auto can_be_written = [](const Parameters& parameters) {
    StreamRecipe recipe;
    recipe.parameters = parameters;
    return RecipeWriter().add(recipe, {100, 100});
  };
  for (const Hash hash : {Hash::kCrcOfThree, Hash::kCrcOfFour}) {
    Parameters right;
    right.hash = hash;
    EXPECT_TRUE(can_be_written(right));
    std::vector<Parameters> wrong(5, right);
    wrong[0].hash_bits = 14;
    wrong[1].hash_bits = 16;
    wrong[2].ng = 1;
    wrong[3].search = Search::kMedium;
    wrong[4].search = Search::kBlocks;
    for (const Parameters& parameters : wrong) EXPECT_FALSE(can_be_written(parameters));
  }
  Parameters none;
  none.hash = static_cast<Hash>(7);
  EXPECT_FALSE(can_be_written(none));
}

// Go has one of each.
TEST(HostileRecipe, GoWithRulesOfOthers) {
  const auto can_be_written = [](const Parameters& parameters) {
    StreamRecipe recipe;
    recipe.parameters = parameters;
    return RecipeWriter().add(recipe, {100, 100});
  };
  for (const unsigned level : {0u, 1u, 2u, 6u}) {
    EXPECT_TRUE(can_be_written(go_parameters(level)));
    std::vector<Parameters> wrong(8, go_parameters(level));
    wrong[0].hash_bits = 16;
    wrong[1].window_bits = 14;
    wrong[2].filtered = 1;
    wrong[3].block_end = BlockEnd::kGzip;
    wrong[4].ng = 1;
    wrong[5].search = Search::kRuns;
    wrong[6].search = Search::kMedium;
    wrong[7].feed_bytes = 8192;
    for (std::size_t i = 0; i < wrong.size(); ++i) EXPECT_FALSE(can_be_written(wrong[i])) << level << " " << i;
  }
  Parameters others = zlib_parameters(6);
  others.hash_bits = 17;
  EXPECT_FALSE(can_be_written(others));
  others.hash_bits = 15;
  others.search = Search::kBlocks;
  EXPECT_FALSE(can_be_written(others));
}

// What M foresees is not what stands there; a match goes beyond the block that Go would have made.
TEST(HostileRecipe, CorrectionsOfGosBlocks) {
  Bytes raw = wordy_bytes(70'000, 5);
  std::fill(raw.begin() + 65'400, raw.begin() + 65'700, std::uint8_t{7});
  for (const unsigned level : {1u, 3u, 6u}) {
    StreamRecipe recipe;
    recipe.parameters = go_parameters(level);
    recipe.corrections = {{4, 0}, {65'401, match_token(200, 1)}};
    MatcherSet matchers;
    Bytes first;
    for (unsigned i = 0; i < 2; ++i) {
      Bytes packed;
      Rebuilder rebuilder(matchers, recipe, {raw.size(), 100'000}, [&](ByteSpan bytes) -> Status {
        append(packed, bytes);
        return {};
      });
      ASSERT_OK(rebuilder.write(raw));
      EXPECT_FAILS(ErrorCode::kPatchCorrupt, rebuilder.finish());  // no such size
      const auto inflated = inflate(packed);
      ASSERT_OK(inflated);
      EXPECT_TRUE(same_bytes(raw, inflated->raw()));
      if (i == 0) first = packed;
      EXPECT_TRUE(same_bytes(first, packed));
    }
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
