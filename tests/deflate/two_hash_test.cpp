// Streams of Go from 1.27 on and of the library that it has this encoder of: in pieces, which may share trees.
#include <algorithm>

#include "deflate/round_trip.hpp"
#include "deflate/zlib_stream.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"
#include "support/own_deflate.hpp"
#include "view/deflate/guesses.hpp"

namespace bdelta::test::two_hash_test {
namespace {

using namespace bdelta::deflate;

Parameters with(unsigned level, BlockEnd end) {
  Parameters p = two_hash_parameters(level);
  p.block_end = end;
  return p;
}

std::vector<Parameters> all_parameters() {
  std::vector<Parameters> all;
  for (const unsigned level : {5u, 6u}) {
    for (const BlockEnd end : {BlockEnd::kByCount, BlockEnd::kAllCounts, BlockEnd::kPlainTrees}) all.push_back(with(level, end));
  }
  return all;
}

// Pieces that suit each other, and others: text, numbers, what can't be packed, one byte, a little of some bytes.
Bytes pieces_of_text() {
  Bytes text = wordy_bytes(200'000, 1);
  append(text, random_bytes(70'000, 2));
  append(text, Bytes(140'000));
  append(text, periodic_bytes(90'000, 33'000, 3));
  Bytes few = random_bytes(80'000, 4);
  for (std::uint8_t& byte : few) byte = static_cast<std::uint8_t>(byte % 16 * 16);
  append(text, few);
  append(text, wordy_bytes(100'016, 5));
  return text;
}

std::vector<Joint> joints_each(std::uint64_t step, std::uint64_t size, JointKind kind) {
  std::vector<Joint> joints;
  for (std::uint64_t pos = step; pos < size; pos += step) joints.push_back({pos, kind, JointMarker::kStored});
  return joints;
}

Bytes rebuilt(const StreamRecipe& recipe, ByteSpan raw, std::uint64_t packed_bytes, std::size_t piece_bytes) {
  MatcherSet matchers;
  Bytes made;
  Rebuilder rebuilder(matchers, recipe, {raw.size(), packed_bytes}, [&](ByteSpan bytes) -> Status {
    append(made, bytes);
    return {};
  });
  for (std::size_t at = 0; at < raw.size(); at += piece_bytes) {
    EXPECT_OK(rebuilder.write(raw.subspan(at, std::min(piece_bytes, raw.size() - at))));
  }
  EXPECT_OK(rebuilder.finish());
  return made;
}

TEST(TwoHashes, OwnStreamsNeedNoCorrections) {
  const Bytes raw = pieces_of_text();
  for (const Parameters& parameters : all_parameters()) {
    for (const std::uint64_t step : {700'000u, 131u, 40'000u, 65'535u, 200'016u}) {
      for (const JointKind kind : {JointKind::kContinue, JointKind::kClear, JointKind::kReset}) {
        if (step < 1000 && kind != JointKind::kContinue) continue;  // the first three joints don't tell which it is
        const Bytes packed = own_deflate(raw, parameters, joints_each(step, raw.size(), kind));
        const RoundTrip trip = round_trip(packed);
        EXPECT_FALSE(trip.dense);
        EXPECT_EQ(0u, trip.misses) << parameters.chain << " " << step << " " << static_cast<int>(kind);
        EXPECT_LE(trip.recipe_bytes, 40u) << parameters.chain << " " << step << " " << static_cast<int>(kind);
      }
    }
    for (const std::size_t size : {0u, 1u, 12u, 13u, 32u, 33u, 127u, 128u, 5000u}) {
      const RoundTrip trip = round_trip(own_deflate(ByteSpan(raw).first(size), parameters), parameters);
      EXPECT_EQ(0u, trip.misses) << size;
      EXPECT_LE(trip.recipe_bytes, 20u) << size;
    }
  }
}

// Blocks of several pieces are there, so what follows speaks of them, too.
TEST(TwoHashes, PiecesShareTrees) {
  const Bytes packed = own_deflate(pieces_of_text(), two_hash_parameters(5));
  const auto stream = inflate(packed);
  ASSERT_OK(stream);
  const auto longer = [](const Block& block) { return block.raw_bytes > kBytesOfBlock && block.type == BlockType::kDynamic; };
  EXPECT_TRUE(std::any_of(stream->blocks.begin(), stream->blocks.end(), longer));
  for (const BlockType type : {BlockType::kStored, BlockType::kFixed, BlockType::kDynamic}) {
    EXPECT_TRUE(std::any_of(stream->blocks.begin(), stream->blocks.end(), [&](const Block& block) { return block.type == type; }));
  }
}

TEST(TwoHashes, PiecesOfTextAndThreadsDoNotMatter) {
  const Bytes raw = pieces_of_text();
  for (const Parameters& parameters : all_parameters()) {
    const Bytes packed = own_deflate(raw, parameters, joints_each(250'000, raw.size(), JointKind::kReset));
    Analyser analyser;
    const auto analysis = analyser.analyse(packed);
    ASSERT_OK(analysis);
    for (const std::size_t piece : {777u, 65'536u, 1'000'000u}) {
      EXPECT_TRUE(same_bytes(packed, rebuilt(analysis->recipe, raw, packed.size(), piece))) << piece;
    }
    WorkerPool pool(3);
    const auto made = rebuild(analyser.matchers(), analysis->recipe, raw, packed.size(), &pool);
    ASSERT_OK(made);
    EXPECT_TRUE(same_bytes(packed, *made));
  }
}

// Tables are not cleared between streams, and what stands there is told apart by how far away it is.
TEST(TwoHashes, WhatWasMadeBeforeDoesNotMatter) {
  const Bytes raw = pieces_of_text();
  MatcherSet matchers;
  Random random(6);
  for (unsigned i = 0; i < 60; ++i) {
    const ByteSpan text = ByteSpan(raw).subspan(static_cast<std::size_t>(random.below(300'000)), static_cast<std::size_t>(random.below(150'000)));
    StreamRecipe recipe;
    recipe.parameters = all_parameters()[i % 6];
    if (i % 3 == 0 && text.size() > 9000) recipe.joints = joints_each(9000, text.size(), static_cast<JointKind>(i % 9 / 3));
    const Bytes packed = own_deflate(text, recipe.parameters, recipe.joints);
    const auto made = rebuild(matchers, recipe, text, packed.size());
    ASSERT_OK(made);
    EXPECT_TRUE(same_bytes(packed, *made)) << i;
  }
}

// What no such encoder made, described as if one had: blocks of any size are cut into pieces.
TEST(TwoHashes, OddStreamsComeBack) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    for (const Parameters& parameters : {with(5, BlockEnd::kByCount), with(6, BlockEnd::kPlainTrees)}) {
      static_cast<void>(round_trip(odd_stream(seed, seed % 2 == 0 ? 20'000 : 2000), parameters));
    }
  }
  const Bytes raw = pieces_of_text();
  for (const int level : {0, 1, 6}) static_cast<void>(round_trip(zlib_deflate(raw, {.level = level, .memory = 9}), two_hash_parameters(6)));
}

TEST(TwoHashes, ParametersOfOthersAreRefused) {
  const auto can_be_written = [](const Parameters& parameters) {
    StreamRecipe recipe;
    recipe.parameters = parameters;
    return RecipeWriter().add(recipe, {100, 100});
  };
  for (const Parameters& right : all_parameters()) {
    EXPECT_TRUE(can_be_written(right));
    std::vector<Parameters> wrong(9, right);
    wrong[0].hash_bits = 16;
    wrong[1].window_bits = 14;
    wrong[2].filtered = 1;
    wrong[3].block_end = static_cast<BlockEnd>(3);
    wrong[4].ng = 1;
    wrong[5].search = Search::kLazy;
    wrong[6].chain = 4;
    wrong[7].chain = 7;
    wrong[8].feed_bytes = 8192;
    for (std::size_t i = 0; i < wrong.size(); ++i) EXPECT_FALSE(can_be_written(wrong[i])) << i;
  }
  Parameters others = zlib_parameters(6);
  others.block_end = BlockEnd::kPlainTrees;
  EXPECT_FALSE(can_be_written(others));
}

// A piece can't go on with trees where no block is open: in front, behind a stored block, behind a joint.
TEST(TwoHashes, PiecesThatJoinNoneAreRefused) {
  const Bytes raw = wordy_bytes(200'000, 7);
  for (const std::uint64_t before : {0u, 1u, 2u}) {
    StreamRecipe recipe;
    recipe.parameters = two_hash_parameters(5);
    recipe.joints = {{65'535, JointKind::kContinue, JointMarker::kStored}};
    if (before == 2) recipe.deviations = {{.blocks_before = 1, .type = BlockType::kStored}};
    recipe.deviations.push_back({.blocks_before = before == 2 ? 0 : before, .joined = true});
    MatcherSet matchers;
    const auto made = rebuild(matchers, recipe, raw, 100'000);
    ASSERT_FALSE(made);
    EXPECT_EQ("a piece of a deflate stream joins none", made.error().detail);
    EXPECT_EQ(ErrorCode::kPatchCorrupt, made.error().code);
  }
}

}  // namespace
}  // namespace bdelta::test::two_hash_test
